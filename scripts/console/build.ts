/**
 * Builds the console into console/dist: scripts and styles by Vite, their compressed forms, and `console.json`, which is written last. `npm install`
 * runs it with `--if-possible`, which does nothing where the development packages are not installed.
 */
import { createHash } from 'node:crypto'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import {
  type Build,
  type BuiltAsset,
  builtFolder,
  canBuild,
  ownRoot,
  readBuild,
  stampOf,
} from '#account/console-build'
import { chunksOf } from './chunks.ts'
import { viteConfig } from './vite-config.ts'

const mediaTypes: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

interface OutputFile {
  name: string
  bytes: Buffer
}

if (import.meta.main && (canBuild(ownRoot) || !process.argv.includes('--if-possible')))
  await buildConsole(ownRoot)

async function buildConsole(root: string): Promise<void> {
  // The stamp is taken first: a file that changes meanwhile makes the build stale.
  const stamp = await stampOf(root)
  const before = await readBuild(root).catch(() => undefined)
  // Whatever the environment says, as in a test: React has another build for each.
  process.env['NODE_ENV'] = 'production'
  const { build } = await import('vite')
  const result = await build(viteConfig(root))
  if (!('output' in result)) throw new Error('Vite returned no output.')
  const files: OutputFile[] = result.output.map((one) => ({
    name: one.fileName,
    bytes: Buffer.from(one.type === 'chunk' ? one.code : one.source),
  }))
  const pageOf = (name: string): string =>
    files.find((file) => file.name === `${name}.html`)!.bytes.toString()
  const folder = path.join(builtFolder(root), 'assets')
  await mkdir(folder, { recursive: true })
  const assets = await Promise.all(
    files.filter(({ name }) => name.startsWith('assets/')).map((file) => writeAsset(folder, file)),
  )
  const names = new Set(assets.map(({ name }) => name))
  const made: Build = {
    stamp,
    pages: { shell: pageOf('index'), signIn: pageOf('sign-in') },
    assets: assets.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    previous: (before?.assets ?? []).filter(({ name }) => !names.has(name)),
    chunks: chunksOf(result.output),
  }
  await writeWhole(path.join(builtFolder(root), 'console.json'), JSON.stringify(made))
  await removeOthers(folder, made)
}

/** Writes the file, and its compressed forms where they are smaller. */
async function writeAsset(folder: string, { name: fileName, bytes }: OutputFile): Promise<BuiltAsset> {
  const name = fileName.slice('assets/'.length)
  const mediaType = mediaTypes[path.extname(name)]
  if (mediaType === undefined) throw new Error(`${name}: the console serves no such files.`)
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
    promisify(gzip)(bytes, { level: 9 }),
  ])
  const forms = {
    '': bytes,
    ...(br.length < bytes.length && { '.br': br }),
    ...(gz.length < bytes.length && { '.gz': gz }),
  }
  for (const [end, form] of Object.entries(forms)) await writeWhole(path.join(folder, name + end), form)
  return {
    name,
    mediaType,
    bytes: bytes.length,
    ...('.br' in forms && { br: br.length }),
    ...('.gz' in forms && { gzip: gz.length }),
    digest: createHash('sha256').update(bytes).digest('base64url'),
  }
}

/** A reader finds the old file or the new one, never a part. */
async function writeWhole(file: string, bytes: Buffer | string): Promise<void> {
  const half = `${file}.${process.pid}.part`
  await writeFile(half, bytes)
  await rename(half, file)
}

/** Removes what belongs neither to this build nor to the one before it. */
async function removeOthers(folder: string, { assets, previous }: Build): Promise<void> {
  const kept = new Set([...assets, ...previous].flatMap(({ name }) => [name, `${name}.br`, `${name}.gz`]))
  for (const name of await readdir(folder))
    if (!kept.has(name) && !name.endsWith('.part')) await rm(path.join(folder, name), { force: true })
}
