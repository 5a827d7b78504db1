const key = (organisationId: string) => `lodge-last-board-${organisationId}`;

/** The board that was last open on this device. */
export function readLastBoard(organisationId: string): string | null {
  try {
    return localStorage.getItem(key(organisationId));
  } catch {
    return null; // storage is disabled
  }
}

/** Remembers which board is open. */
export function keepLastBoard(organisationId: string, boardId: string) {
  try {
    localStorage.setItem(key(organisationId), boardId);
  } catch {
    // Storage is disabled: the first board opens next time.
  }
}
