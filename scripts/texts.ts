import { dashboardTexts } from "./dashboard-texts.ts";

// Prints every text of the dashboard that a person reads, with its place, so that all of them can be read in one go.
for (const { file, line, text } of dashboardTexts()) console.log(`${file}:${line}: ${text}`);
