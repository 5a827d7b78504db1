/**
 * Removes the values from Commander's message about an invalid command line. A value of a misspelt option, or without an
 * option, may be a secret, and many people can read the output of a CI job.
 */
export const hideValues = (message: string): string =>
  message
    .replace(/^(error: unknown option '(?:--[^='\s]*|-[^-]))[\s\S]*'/, "$1'")
    .replace(/^(error: unknown command) '(?![a-z-]{1,20}')[\s\S]*'/, "$1")
    .replace(/^(error: too many arguments[\s\S]*? but got \d+): [\s\S]*\.(?=\s*$)/, "$1.")
    .replace(/^(error: option '[^']*' argument) '[\s\S]*' (is invalid\. )/, "$1 $2")
    .replace(/^(error: command-argument value) '[\s\S]*' (is invalid for argument )/, "$1 $2");
