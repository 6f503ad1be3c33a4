import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test, vi } from 'vitest'
import { RunFolder } from './run-folder.ts'

test('a folder that could not be made is made for the next one who asks', async () => {
  const parent = await mkdtemp(path.join(tmpdir(), 'kherad-r-'))
  vi.stubEnv('TMPDIR', path.join(parent, 'missing'))
  const folders = new RunFolder()
  try {
    await expect(folders.sub()).rejects.toMatchObject({ code: 'ENOENT' })
    vi.stubEnv('TMPDIR', parent)
    const sub = await folders.sub()
    expect(sub.startsWith(parent)).toBe(true)
    expect((await stat(sub)).isDirectory()).toBe(true)
  } finally {
    await folders[Symbol.asyncDispose]()
    vi.unstubAllEnvs()
    await rm(parent, { recursive: true })
  }
})
