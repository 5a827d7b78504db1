const lodge = Lodge.createLodge({
  ingestUrl: "/lodge", // through the app's own origin, which content blockers do not stop
  key: "LODGE_KEY",
  app: { version: "1.0.0" },
  capture: { errors: true, breadcrumbs: true },
});

document.querySelector("#feedback").onclick = () =>
  LodgeWidget.openWidget(lodge, { tags: { page: location.pathname } });
document.querySelector("#break").onclick = () => {
  throw new Error("the basket is empty");
};
