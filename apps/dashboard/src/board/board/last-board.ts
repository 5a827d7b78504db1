const key = (organisationId: string) => `lodge-last-board-${organisationId}`;

/** The board that was open last on this device. */
export function readLastBoard(organisationId: string): string | null {
  try {
    return localStorage.getItem(key(organisationId));
  } catch {
    return null; // storage is switched off
  }
}

/** Remembers which board is open. */
export function keepLastBoard(organisationId: string, boardId: string) {
  try {
    localStorage.setItem(key(organisationId), boardId);
  } catch {
    // Storage is switched off: the first board opens next time.
  }
}
