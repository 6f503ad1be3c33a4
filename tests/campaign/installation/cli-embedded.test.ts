import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, readdir } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { startEmbedded } from '#platform/postgres'
import { asProcess, launcher } from '../../cli/command-line.ts'
import { Client } from '../../harness/client.ts'
import { startProcess } from '../../harness/processes.ts'
import { until } from '../../harness/until.ts'
import { fast, quiet, temporaryFolder } from '../../platform/db/cluster-world.ts'

const { done, kherad } = asProcess

const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  )

/** As the first start of a server makes it. */
const makeDatabase = async (dataDir: string): Promise<void> =>
  (await startEmbedded({ dataDir, log: quiet, settings: fast }))[Symbol.asyncDispose]()

test('neither a command nor the doctor makes a database where none is: they say what to do', async () => {
  await using folder = await temporaryFolder('cli-')
  const data = path.join(folder.path, 'wrong', 'data')
  const env = { KHERAD_DATA: data, KHERAD_LOCALE: 'en', KHERAD_PORT: '0' }
  const refusal = `There is no database in ${data}, and none was made: npm start makes it; if there should be one, correct KHERAD_DATA.`
  for (const words of [
    ['account', 'list'],
    ['account', 'create', '--name', 'a'],
    ['key', 'create', '--name', 'k'],
  ]) {
    const ran = await kherad(env, ...words, '--json')
    expect(ran.code).toBe(1)
    expect(JSON.parse(ran.err).error.message).toBe(refusal)
  }
  const doctor = await kherad(env, 'doctor', '--json')
  const state = (name: string) => doctor.json.checks.find((one: { name: string }) => one.name === name)
  expect(state('database')).toMatchObject({ state: 'broken', message: refusal })
  expect(state('migrations')).toMatchObject({ state: 'skipped' })
  expect(doctor.code).toBe(1)
  expect(await readdir(folder.path)).toEqual([])
})

test('the CLI joins the PostgreSQL of a running server, and starts and stops its own when none runs', async () => {
  await using folder = await temporaryFolder('cli-')
  const data = path.join(folder.path, 'data')
  const running = path.join(data, 'postgres', 'postmaster.pid')
  const env = { KHERAD_DATA: data }
  await makeDatabase(data)

  const account = await done(env, 'account', 'create', '--name', 'a', '--credits', '10')
  await until(async () => !(await isThere(running)))
  await done(env, 'project', 'create', '--name', 'p')
  {
    await using server = await startProcess({ databaseUrl: '', env })
    const key = await done(env, 'key', 'create', '--name', 'k')
    const client = new Client(server.url, key.secret, key.id)
    expect((await client.chat({})).status).toBe(200)
    // The command has ended, and the server still has its database.
    await done(env, 'key', 'revoke', key.id)
    await until(async () => (await client.get('/v1/models')).status === 401)

    const doctor = await until(async () => {
      const beside = { ...env, KHERAD_PORT: new URL(server.url).port, KHERAD_LOCALE: 'en' }
      const seen = await kherad(beside, 'doctor', '--json')
      // The server has five seconds to answer, which a machine may stand still for.
      return seen.code === 0 ? seen : undefined
    })
    expect(doctor.json.checks.filter(({ state }: { state: string }) => state !== 'ok')).toEqual([])
    expect(doctor).toMatchObject({ code: 0, err: '' })
    const port = doctor.json.checks.find(({ name }: { name: string }) => name === 'port')
    expect(port.message).toContain('running and ready')
    expect(await server.stop()).toBe(0)
  }
  await until(async () => !(await isThere(running)))
  expect((await done(env, 'account', 'list')).data).toMatchObject([{ id: account.id }])
  await until(async () => !(await isThere(running)))
})

test('a command told to stop leaves no PostgreSQL behind', async () => {
  await using folder = await temporaryFolder('cli-')
  const data = path.join(folder.path, 'data')
  const running = path.join(data, 'postgres', 'postmaster.pid')
  await makeDatabase(data)
  // One that had ended before it was told proves nothing: another is told.
  await until(async () => {
    const child = spawn(process.execPath, [launcher, 'account', 'list'], {
      cwd: folder.path,
      env: { PATH: process.env['PATH'], KHERAD_DATA: data },
      stdio: 'ignore',
    })
    const gone = once(child, 'exit')
    await until(async () => child.exitCode !== null || (await isThere(running)))
    child.kill('SIGTERM')
    const [code, signal] = await gone
    await until(async () => !(await isThere(running)))
    if (code === 0) return false
    expect([code, signal]).toEqual([143, null])
    return true
  })
})
