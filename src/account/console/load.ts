/** Reads a build of the console into memory. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { type BuiltAsset, builtFolder, readBuild } from '#account/console-build'

export interface LoadedAsset {
  mediaType: string
  digest: string
  forms: { identity: Buffer; br?: Buffer; gzip?: Buffer }
}

export interface LoadedConsole {
  /** The HTML of both entries, with `nonceMark` in place of the nonce. */
  shell: string
  signIn: string
  assets: ReadonlyMap<string, LoadedAsset>
}

/** The build with all its files and those of the build before it; undefined where there is none. */
export async function loadConsole(root: string): Promise<LoadedConsole | undefined> {
  const build = await readBuild(root)
  if (!build) return undefined
  const folder = path.join(builtFolder(root), 'assets')
  const loaded = await Promise.all(build.assets.map((asset) => loadAsset(folder, asset)))
  // Those of the build before this one may be gone: a release brings only its own.
  const earlier = await Promise.all(
    build.previous.map((asset) => loadAsset(folder, asset).catch(() => undefined)),
  )
  return {
    ...build.pages,
    assets: new Map([...loaded, ...earlier].filter((one) => one !== undefined)),
  }
}

async function loadAsset(
  folder: string,
  { name, mediaType, digest, br, gzip }: BuiltAsset,
): Promise<[string, LoadedAsset]> {
  const file = path.join(folder, name)
  const [identity, brotli, gz] = await Promise.all([
    readFile(file),
    br === undefined ? undefined : readFile(`${file}.br`),
    gzip === undefined ? undefined : readFile(`${file}.gz`),
  ])
  const forms = { identity, ...(brotli && { br: brotli }), ...(gz && { gzip: gz }) }
  return [name, { mediaType, digest, forms }]
}
