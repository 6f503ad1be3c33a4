import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const program = `
  import { keepCompiled } from ${JSON.stringify(path.join(import.meta.dirname, 'compiled.ts'))}
  import { getCompileCacheDir } from 'node:module'
  keepCompiled(process.argv[1])
  await import('typebox')
  process.stdout.write(getCompileCacheDir() ?? 'none')`

/** What a program with a compile cache prints about where the cache is. */
async function keeping(dataDir: string, env: Record<string, string> = {}): Promise<string> {
  const words = ['--input-type=module', '-e', program, dataDir]
  const options = { env: { PATH: process.env['PATH'], ...env } }
  return (await promisify(execFile)(process.execPath, words, options)).stdout
}

async function dataFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'kherad-compiled-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

test('compiled code lies in the data folder, for its user alone', async () => {
  const folder = await dataFolder()
  const cache = path.join(folder, 'compile-cache')
  expect(await keeping(folder)).toContain(cache)
  expect((await stat(cache)).mode & 0o077).toBe(0)
  const [version] = await readdir(cache)
  expect((await readdir(path.join(cache, version!))).length).toBeGreaterThan(10)
})

test('a folder that others may write is not run from', async () => {
  const folder = await dataFolder()
  await mkdir(path.join(folder, 'compile-cache'))
  await chmod(path.join(folder, 'compile-cache'), 0o777)
  expect(await keeping(folder)).toBe('none')
})

test('a data folder that is not there is not made, and one that cannot be written stops no start', async () => {
  const folder = await dataFolder()
  const missing = path.join(folder, 'missing')
  expect(await keeping(missing)).toBe('none')
  await expect(stat(missing)).rejects.toThrow('ENOENT')
  await writeFile(path.join(folder, 'compile-cache'), 'a file in its place')
  expect(await keeping(folder)).toBe('none')
})

test('the folder that Node was told wins', async () => {
  const folder = await dataFolder()
  const marked = path.join(folder, 'told')
  await mkdir(marked)
  expect(await keeping(folder, { NODE_COMPILE_CACHE: marked })).toContain(marked)
})
