import { dashboardTexts } from "./dashboard-texts.ts";

// Prints every visible text of the dashboard with its place, so that all of them can be reviewed together.
for (const { file, line, text } of dashboardTexts()) console.log(`${file}:${line}: ${text}`);
