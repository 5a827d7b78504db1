/** One result of `lodged doctor`: `wrong` says what to do about it, `note` is neither right nor wrong. */
export type Finding = { state: "ok" | "note" | "wrong"; text: string };

export const ok = (text: string): Finding => ({ state: "ok", text });
export const note = (text: string): Finding => ({ state: "note", text });
export const wrong = (text: string): Finding => ({ state: "wrong", text });
