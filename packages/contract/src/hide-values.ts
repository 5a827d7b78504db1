/**
 * Removes the values from Commander's message about a wrong command line: one that was given to a misspelt option or
 * to no option at all may be a secret, and what a CI job prints is read by many.
 */
export const hideValues = (message: string): string =>
  message
    .replace(/^(error: unknown option '(?:--[^='\s]*|-[^-]))[\s\S]*'/, "$1'")
    .replace(/^(error: unknown command) '(?![a-z-]{1,20}')[\s\S]*'/, "$1")
    .replace(/^(error: too many arguments[\s\S]*? but got \d+): [\s\S]*\.(?=\s*$)/, "$1.")
    .replace(/^(error: option '[^']*' argument) '[\s\S]*' (is invalid\. )/, "$1 $2")
    .replace(/^(error: command-argument value) '[\s\S]*' (is invalid for argument )/, "$1 $2");
