/* What becomes of a sum of products before it is stored: gemm/epilogue.cu's, for one filter. */

#if EPILOGUE
#define FINISHED(sum, at, pixel, filter) TO_RESULT(finished(alpha * (sum), beta, at, pixel, filter, epilogue))
#define DECLARE_EPILOGUE() const struct epilogue epilogue = EPILOGUE_GIVEN
#define EPILOGUE_TYPED , struct epilogue epilogue
#define EPILOGUE_PASSED , epilogue
#else
#define FINISHED(sum, at, pixel, filter) RESULT_OF((sum), at, alpha, beta)
#define DECLARE_EPILOGUE()
#define EPILOGUE_TYPED
#define EPILOGUE_PASSED
#endif
