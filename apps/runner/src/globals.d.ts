/** Set by the bundler. */
declare const __LODGE_VERSION__: string;
