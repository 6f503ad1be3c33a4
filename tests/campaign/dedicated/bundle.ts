/** A page of an app, as a site of it is published. */
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

export const emptyPage =
  '<!doctype html><html lang="fa" dir="rtl"><meta charset="utf-8"><script src="app.js"></script></html>'

/** What a file of this folder exports, as `app` in the page. */
export async function bundle(file: string): Promise<string> {
  const made = await build({
    entryPoints: [fileURLToPath(new URL(file, import.meta.url))],
    ...{ bundle: true, write: false, format: 'iife', globalName: 'app', platform: 'browser' },
    define: { 'process.env.NODE_ENV': '"test"' },
  })
  return made.outputFiles[0]!.text
}
