/**
 * Programs that tests start as processes, each bundled into one file: a server loads 1,800 files of ours and 600 of two packages, and starts
 * from a bundle with less than half of the processor time. Tests of the start itself start `src/main.ts` as it lies there.
 */
import { existsSync } from 'node:fs'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { inject } from 'vitest'
import { startMs, until } from './until.ts'

const root = path.resolve(import.meta.dirname, '../..')

const programs = [
  'tests/harness/controlled-main.ts',
  'tests/harness/extend-main.ts',
  'tests/harness/measured-main.ts',
  'tests/harness/work-main.ts',
]

let folder: Promise<string> | undefined

/** The bundle of one of `programs`. The first test of a run that asks for one makes them all, in about five seconds. */
export async function bundled(program: string): Promise<string> {
  if (!programs.includes(program)) throw new Error(`${program} is not listed as a program of tests`)
  folder ??= makeOnce(path.join(inject('scratch'), 'programs'))
  return path.join(await folder, program.replace(/ts$/, 'mjs'))
}

/** Of all processes of the run, the one that makes the folder makes what is in it; the others wait. */
async function makeOnce(folder: string): Promise<string> {
  const made = path.join(folder, 'made')
  const failed = path.join(folder, 'failed')
  try {
    await mkdir(folder)
  } catch {
    await until(() => existsSync(made) || existsSync(failed), startMs)
    if (existsSync(failed)) throw new Error(await readFile(failed, 'utf8'))
    return folder
  }
  try {
    await make(folder)
  } catch (error) {
    await writeFile(failed, String(error))
    throw error
  }
  await writeFile(made, '')
  return folder
}

async function make(folder: string): Promise<void> {
  // Other packages are found as from the checkout.
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
  await build({
    absWorkingDir: root,
    entryPoints: programs,
    outbase: root,
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    legalComments: 'none',
    logLevel: 'silent',
    plugins: [packages, places],
  })
}

/** Only packages of very many files are bundled: others may look for files beside their own. */
const packages: Plugin = {
  name: 'packages',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./#]/ }, ({ path, kind }) =>
      kind === 'entry-point' || /^(typebox|kysely)(\/|$)/.test(path) ? undefined : { path, external: true },
    )
  },
}

/** A module goes on finding the files beside it: its place is that of its source. */
const places: Plugin = {
  name: 'places',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path: file }) => {
      const source = await readFile(file, 'utf8')
      const contents = source
        .replaceAll('import.meta.dirname', JSON.stringify(path.dirname(file)))
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(file).href))
      return { contents, loader: 'ts' }
    })
  },
}
