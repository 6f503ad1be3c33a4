/** `kherad start`: the server as `npm start` runs it, under the command. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { compileCache } from '../../harness/compile-cache.ts'
import { freePort } from '../../harness/free-port.ts'
import { startMs, until } from '../../harness/until.ts'
import { postmasterPid, runs } from '../db/cluster-world.ts'
import { parentFolder } from './installations.ts'

test('kherad start says what people would miss, serves until it is told to stop, and ends in order with its PostgreSQL', async () => {
  await using parent = await parentFolder()
  const data = path.join(parent.path, 'data')
  await writeFile(path.join(parent.path, 'kherad.config.yaml'), 'people: { sign_up: open }')
  const port = await freePort()
  const launcher = path.resolve(import.meta.dirname, '../../../cli/kherad.mjs')
  const child = spawn(process.execPath, [launcher, 'start', '--role', 'api'], {
    cwd: parent.path,
    env: {
      ...compileCache,
      PATH: process.env['PATH'],
      KHERAD_DATA: data,
      KHERAD_HOST: '0.0.0.0',
      KHERAD_PORT: String(port),
      KHERAD_APPS_PORT: 'off',
      OLLAMA_HOST: 'http://127.0.0.1:1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      out += text
    })
  const gone = once(child, 'exit')
  const ready = () => fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined)
  await until(async () => (await ready())?.ok === true, startMs)
  const pid = await postmasterPid(path.join(data, 'postgres'))
  expect(await runs(pid)).toBe(true)
  expect(out).toContain('Kherad is ready')
  const key = /KHERAD_KEY=(khr_\w+)/.exec(out)?.[1]
  expect(key, out).toBeDefined()
  expect(out.split(key!), 'the first key is printed once').toHaveLength(2)
  expect(out, 'open sign-up without mail').toContain('Nobody can sign up')
  expect(out, 'other machines reach it without TLS').toContain('can be read on the way')
  child.kill('SIGTERM')
  await gone
  expect(out).toContain('The server is stopping.')
  expect(await ready()).toBeUndefined()
  await until(async () => !(await runs(pid)))
})
