/**
 * Fills `fonts/` with the typefaces the Worker serves to itself, from the pinned npm packages.
 * Run it after changing one of them: `node scripts/build-fonts.ts`. The same packages give the same files.
 */
import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");

/** Where each file of `fonts/` comes from, under `node_modules/`. */
const FILES = {
  "noto-sans-regular.ttf": "@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf",
  "noto-sans-bold.ttf": "@expo-google-fonts/noto-sans/700Bold/NotoSans_700Bold.ttf",
  "noto-sans-OFL.txt": "@expo-google-fonts/noto-sans/LICENSE_FONT",
};

await mkdir(join(root, "fonts"), { recursive: true });
for (const [file, source] of Object.entries(FILES)) {
  await copyFile(join(root, "node_modules", source), join(root, "fonts", file));
}
