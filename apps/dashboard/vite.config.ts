import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliCompress, gzip, gzipSync } from "node:zlib";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** The budget of the first page: every script that is loaded before something shows, compressed. */
const initialScriptBytesMax = 165_000;

const compressible = /\.(css|html|js|json|svg|txt|webmanifest)$/;
const compressedBytesMin = 1_000;

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss(), themeBeforePaint(), boundedInitialScripts(), compressed()],
  build: {
    target: "es2023",
    assetsInlineLimit: 0, // the Content-Security-Policy knows no data: addresses
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  logLevel: "warn",
});

/** Puts the script that sets the theme into the head as a blocking file of its own: a strict policy allows no inline one. */
function themeBeforePaint(): Plugin {
  let reference = "";
  let script = "/src/ui/theme-boot.js"; // while developing
  return {
    name: "theme-before-paint",
    buildStart() {
      if (this.environment.mode !== "build") return;
      const source = readFileSync(`${import.meta.dirname}/src/ui/theme-boot.js`, "utf8");
      reference = this.emitFile({ type: "asset", name: "theme-boot.js", source });
    },
    generateBundle() {
      script = `/${this.getFileName(reference)}`;
    },
    transformIndexHtml: {
      order: "post",
      handler: () => [{ tag: "script", attrs: { src: script }, injectTo: "head-prepend" }],
    },
  };
}

function boundedInitialScripts(): Plugin {
  return {
    name: "bounded-initial-scripts",
    apply: "build",
    generateBundle(_, bundle) {
      const initial = new Set<string>();
      const visit = (fileName: string) => {
        const chunk = bundle[fileName];
        if (chunk?.type !== "chunk" || initial.has(fileName)) return;
        initial.add(fileName);
        chunk.imports.forEach(visit);
      };
      for (const chunk of Object.values(bundle)) if (chunk.type === "chunk" && chunk.isEntry) visit(chunk.fileName);
      const bytes = [...initial].reduce((sum, fileName) => {
        const chunk = bundle[fileName];
        return sum + (chunk?.type === "chunk" ? gzipSync(chunk.code).length : 0);
      }, 0);
      const size = `${(bytes / 1000).toFixed(1)} kB of initial JavaScript after gzip`;
      if (bytes > initialScriptBytesMax) this.error(`${size}; at most ${initialScriptBytesMax / 1000} kB are allowed`);
      console.log(`Dashboard: ${size}`);
    },
  };
}

/** Lays beside each file what the server sends to browsers that accept it: as small as can be, since it is made once. */
function compressed(): Plugin {
  return {
    name: "compressed",
    apply: "build",
    async writeBundle({ dir = "" }, bundle) {
      const files = Object.values(bundle).map((file) => ({
        path: `${dir}/${file.fileName}`,
        bytes: Buffer.from(file.type === "chunk" ? file.code : file.source),
      }));
      await Promise.all(
        files
          .filter(({ path, bytes }) => compressible.test(path) && bytes.length >= compressedBytesMin)
          .flatMap(({ path, bytes }) => [
            promisify(brotliCompress)(bytes).then((smaller) => writeFile(`${path}.br`, smaller)),
            promisify(gzip)(bytes, { level: 9 }).then((smaller) => writeFile(`${path}.gz`, smaller)),
          ]),
      );
    },
  };
}
