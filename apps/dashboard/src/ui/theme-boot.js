// Runs before the first paint, so that somebody who chose a theme never sees the other one.
try {
  const theme = localStorage.getItem("lodge-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage is switched off: the system's theme it is.
}
