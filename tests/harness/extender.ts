/** Processes that extend durable holds (`extend-main.ts`), to race them and to kill them. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { bundled } from './bundled.ts'
import { compileCache } from './compile-cache.ts'
import type { Extended, ExtendJob } from './extend-main.ts'

const root = path.resolve(import.meta.dirname, '../..')

/** Runs the process to its end, or kills it (-9) once it has written a given line or a promise settles. Returns the lines that it wrote. */
export async function extendElsewhere(
  job: ExtendJob,
  kill: { at?: Extended; when?: Promise<unknown> } = {},
): Promise<Extended[]> {
  const child = spawn(
    process.execPath,
    [await bundled('tests/harness/extend-main.ts'), JSON.stringify(job)],
    {
      cwd: root,
      env: { ...compileCache, PATH: process.env['PATH'] },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const gone = once(child, 'exit')
  const end = (): void => void child.kill('SIGKILL')
  kill.when?.then(end, end)
  const extensions: Extended[] = []
  for await (const line of createInterface(child.stdout!)) {
    extensions.push(line as Extended)
    if (line === kill.at) end()
  }
  const [code, signal] = await gone
  if (code !== 0 && signal !== 'SIGKILL') throw new Error(`an extending process ended with ${code ?? signal}`)
  return extensions
}
