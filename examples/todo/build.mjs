/**
 * Makes the page ready to be published: one script with supabase-js inside, the font, and the address and public key of the cloud.
 *
 *   node examples/todo/build.mjs CLOUD_URL PUBLIC_KEY [FOLDER]      (FOLDER: examples/todo/dist)
 */
import { copyFile, mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { build } from 'esbuild'

const here = import.meta.dirname
const [url, key, folder = path.join(here, 'dist')] = process.argv.slice(2)
if (!URL.canParse(url ?? '') || !key?.startsWith('khp_')) {
  console.error('node examples/todo/build.mjs CLOUD_URL PUBLIC_KEY [FOLDER]')
  console.error('هر دو را این فرمان چاپ می‌کند · this command prints both: kherad cloud connection CLOUD')
  process.exit(2)
}

await mkdir(folder, { recursive: true })
await build({
  entryPoints: [path.join(here, 'page/app.js')],
  outfile: path.join(folder, 'app.js'),
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  define: {
    CLOUD_URL: JSON.stringify(url.replace(/\/+$/, '')),
    CLOUD_PUBLIC_KEY: JSON.stringify(key),
  },
  logLevel: 'warning',
})
for (const name of ['index.html', 'style.css'])
  await copyFile(path.join(here, 'page', name), path.join(folder, name))
const vazirmatn = path.dirname(createRequire(import.meta.url).resolve('vazirmatn/package.json'))
await copyFile(
  path.join(vazirmatn, 'fonts/webfonts/Vazirmatn[wght].woff2'),
  path.join(folder, 'vazirmatn.woff2'),
)
