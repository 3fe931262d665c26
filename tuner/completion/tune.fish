# fish completion for tune and tune-mpi: the program itself says what may stand next.
function __tune_complete
    set -l words (commandline --current-process --tokenize --cut-at-cursor)
    set -l partial (commandline --current-token --cut-at-cursor)
    type --query -- $words[1]; or return
    set -l replies ($words[1] complete $words[2..] "$partial" 2>/dev/null)
    if test (count $replies) -gt 0
        printf '%s\n' $replies
    else
        __fish_complete_path "$partial"
    end
end
complete --command tune --command tune-mpi --no-files --arguments '(__tune_complete)'
