import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { startJailed } from './start.ts'

test.runIf(process.platform === 'linux')(
  'what builds a jail and fails at once is heard, however late its caller listens',
  async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'kherad-start-'))
    const bwrap = path.join(folder, 'bwrap')
    await writeFile(bwrap, '#!/bin/sh\necho said >&2\nexit 1\n')
    await chmod(bwrap, 0o755)
    const tools = { bwrap, prlimit: '/usr/bin/prlimit', setpriv: '', unshare: '', flock: '', libraries: [] }
    const program = { program: '/none', libraries: [], args: [], dataBytes: 1e9, threads: 1 }
    const started = await startJailed(tools, program, undefined)
    expect(await started.ended).toMatchObject({ code: 1 })
    // The output is read only after everything that Node does at the end of a process.
    for (let turns = 0; turns < 10; turns++) await new Promise((resolve) => setImmediate(resolve))
    expect(await text(started.stderr)).toBe('said\n')
    await rm(folder, { recursive: true })
  },
)
