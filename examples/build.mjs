/**
 * Makes the page of an example ready to be published: one script with supabase-js inside, the font, and the address and public key of the cloud.
 *
 *   node examples/build.mjs EXAMPLE CLOUD_URL PUBLIC_KEY [FOLDER]      (EXAMPLE: todo or lists; FOLDER: examples/EXAMPLE/dist)
 */
import { copyFile, mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { build } from 'esbuild'

const [example = '', url, key, given] = process.argv.slice(2)
const here = path.join(import.meta.dirname, example)
const folder = given ?? path.join(here, 'dist')
if (!['todo', 'lists'].includes(example) || !URL.canParse(url ?? '') || !key?.startsWith('khp_')) {
  console.error('node examples/build.mjs todo|lists CLOUD_URL PUBLIC_KEY [FOLDER]')
  console.error(
    'نشانی و کلید را این دستور چاپ می‌کند · this command prints address and key: kherad cloud connection CLOUD',
  )
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
await copyFile(path.join(here, 'page/index.html'), path.join(folder, 'index.html'))
await copyFile(path.join(import.meta.dirname, 'common/style.css'), path.join(folder, 'style.css'))
const vazirmatn = path.dirname(createRequire(import.meta.url).resolve('vazirmatn/package.json'))
await copyFile(
  path.join(vazirmatn, 'fonts/webfonts/Vazirmatn[wght].woff2'),
  path.join(folder, 'vazirmatn.woff2'),
)
