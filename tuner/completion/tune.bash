# bash completion for tune and tune-mpi: the program itself says what may stand next.
_tune() {
    # Not bash's own words, which end at every = and :, as in cuda:0 and dtype=f64.
    local line=${COMP_LINE:0:COMP_POINT} words
    read -ra words <<< "$line"
    [[ $line == *' ' ]] && words+=('')
    local partial=${words[-1]} kept
    mapfile -t COMPREPLY < <("${words[0]}" complete "${words[@]:1}" 2> /dev/null)
    # Bash puts a reply in place of what is behind the last of them.
    kept=${partial%"${partial##*[=:]}"}
    COMPREPLY=("${COMPREPLY[@]#"$kept"}")
    [[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != '' ]] || COMPREPLY=()
}
complete -o default -F _tune tune tune-mpi
