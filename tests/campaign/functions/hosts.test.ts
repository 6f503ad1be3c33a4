import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readEnv } from '#platform/config'
import { loadConfig, loadFunctionsHostConfig } from '#settings'
import { refuseSecrets } from '../../../src/functions-host.ts'
import { call, deploy, functionsOf, secretsOf, textOf } from '../../cloud/functions/scene.ts'
import { until } from '../../harness/until.ts'
import { boot, type World } from '../../harness/world.ts'
import { type HostPlace, type HostProcess, placeOf, spawnHost, startHost } from './host-process.ts'

const key = 'channel-key-of-two-hosts-for-tests-0123456789'
let world: World
let places: HostPlace[]
let hosts: HostProcess[]

const start = (place: HostPlace): Promise<HostProcess> =>
  startHost(place, { KHERAD_API_URL: world.url, KHERAD_CLOUDS_URL: world.appsUrl })

beforeAll(async () => {
  places = await Promise.all([placeOf(key), placeOf(key)])
  const listed = places.map(
    ({ channelPort }) => `\n    - { url: 'https://127.0.0.1:${channelPort}', key: ${key} }`,
  )
  world = await boot({
    config: `functions:\n  hosts:${listed.join('')}\n`,
    env: { KHERAD_SECRET: 'master-secret-of-this-test-0123456789' },
  })
  hosts = await Promise.all(places.map(start))
  await until(async () =>
    (await Promise.all(hosts.map((host) => host.ready()))).every(({ connected }) => connected === 1),
  )
  // A host that still tests its jail says so a moment later, and runs nothing until then.
  await until(async () =>
    (await (await fetch(`${world.url}/metrics`)).text()).includes(
      '\nkherad_function_hosts{state="jailed"} 2',
    ),
  )
})

afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await Promise.all(hosts.map((host) => host[Symbol.asyncDispose]()))
})

test('a function is tried out, runs, logs and gets its secrets on a host of its own', async () => {
  const cloud = await world.newCloud()
  await cloud.client.post(secretsOf(cloud), { name: 'GREETING', value: 'سلام از راز' })
  await deploy(
    cloud,
    'hello',
    `export default { async fetch(request, env) {
      console.log('گزارش', env.GREETING)
      return new Response([env.GREETING, await request.text(), request.method].join('|'))
    } }`,
  )
  const metrics = async () =>
    (await fetch(`http://127.0.0.1:${places[placeOfCloud(cloud.id)]!.port}/metrics`)).text()
  const answered = (shown: string) =>
    Number(/^kherad_function_calls_total\{outcome="answered"\} (\d+)$/m.exec(shown)?.[1] ?? 0)
  const before = answered(await metrics())
  expect(await textOf(cloud, 'hello', { method: 'POST', body: 'بدنه' })).toBe('سلام از راز|بدنه|POST')
  await until(async () => {
    const logs = await cloud.client.get(`${functionsOf(cloud)}/hello/logs`)
    return JSON.stringify(logs.body).includes('گزارش')
  })
  const logs = await cloud.client.get(`${functionsOf(cloud)}/hello/logs`)
  expect(JSON.stringify(logs.body)).not.toContain('سلام از راز')
  const broken = await cloud.client.post(functionsOf(cloud), {
    name: 'broken',
    code: 'throw new Error("در آغاز"); export default {}',
  })
  expect(broken.status).toBe(400)
  const shown = await metrics()
  expect(answered(shown)).toBe(before + 1)
  for (const series of [
    'kherad_function_channel_links 1',
    'kherad_function_channel_refusals_total 0',
    'kherad_open_function_fetches 0',
    'kherad_process_resident_memory_bytes ',
  ])
    expect(shown).toContain(`\n${series}`)
  // Of rooms that it has not there is nothing to watch.
  expect(shown).not.toMatch(/kherad_(?:ledger|database|jobs)/)
  expect(await (await fetch(`${world.url}/metrics`)).text()).toContain(
    '\nkherad_function_hosts{state="jailed"} 2',
  )
})

test('new code and changed secrets count from the next call on', async () => {
  const cloud = await world.newCloud()
  await cloud.client.post(secretsOf(cloud), { name: 'WORD', value: 'one' })
  const code = (version: number) =>
    `export default { fetch: (_, env) => new Response('${version} ' + env.WORD) }`
  await deploy(cloud, 'word', code(1))
  expect(await textOf(cloud, 'word')).toBe('1 one')
  await cloud.client.post(secretsOf(cloud), { name: 'WORD', value: 'two' })
  await until(async () => (await textOf(cloud, 'word')) === '1 two')
  await deploy(cloud, 'word', code(2))
  await until(async () => (await textOf(cloud, 'word')) === '2 two')
})

test('from there a function reaches its own cloud and /v1 by the key that it sends, and nothing inside the network', async () => {
  const cloud = await world.newCloud()
  await deploy(
    cloud,
    'reach',
    `export default { async fetch(request) {
      const { url, headers } = await request.json()
      const answer = await fetch(url, { headers })
      return Response.json({ status: answer.status, refusal: answer.headers.get('x-kherad-refusal'), text: (await answer.text()).slice(0, 300) })
    } }`,
  )
  const reach = async (url: string, headers: Record<string, string> = {}) =>
    JSON.parse(await textOf(cloud, 'reach', { method: 'POST', body: JSON.stringify({ url, headers }) }))
  expect(await reach(`${cloud.url}/auth/v1/settings`, { apikey: cloud.publicKey })).toMatchObject({
    status: 200,
    refusal: null,
  })
  expect(await reach(`${cloud.pathUrl}/auth/v1/settings`, { apikey: cloud.publicKey })).toMatchObject({
    status: 200,
    refusal: null,
  })
  expect(await reach(`${world.url}/v1/models`)).toMatchObject({ status: 401, refusal: null })
  const authorization = `Bearer ${cloud.client.secret}`
  expect(await reach(`${world.url}/v1/models`, { authorization })).toMatchObject({
    status: 200,
    refusal: null,
  })
  for (const url of [
    `${world.url}/metrics`,
    `http://127.0.0.1:${places[0]!.port}/metrics`,
    `https://127.0.0.1:${places[0]!.channelPort}/`,
    'http://169.254.169.254/',
  ])
    expect((await reach(url)).refusal, url).toMatch(/^FUNCTION_FETCH_(REFUSED|INVALID)$/)
})

test('a function that calls itself for ever ends in 508', async () => {
  const cloud = await world.newCloud()
  await deploy(
    cloud,
    'again',
    `export default { async fetch(request, env) {
      const answer = await fetch(env.SUPABASE_URL + '/functions/v1/again', { headers: { apikey: env.SUPABASE_ANON_KEY } })
      return new Response(answer.body, { status: answer.status })
    } }`,
  )
  const answer = await call(cloud, 'again')
  expect(answer.status).toBe(508)
  expect(await answer.json()).toMatchObject({ code: 'FUNCTION_DEPTH' })
})

test.runIf(process.platform === 'linux')(
  'neither the environment nor an open file of a host holds a secret of the platform',
  async () => {
    const secrets = ['master-secret-of-this-test', 'postgres', 'khr_']
    for (const { child } of hosts) {
      const environment = (await readFile(`/proc/${child.pid}/environ`)).toString('latin1')
      expect(environment).toContain(key)
      for (const secret of secrets) expect(environment).not.toContain(secret)
      const open = await readdir(`/proc/${child.pid}/fd`)
      const targets = await Promise.all(
        open.map((fd) => readlink(`/proc/${child.pid}/fd/${fd}`).catch(() => '')),
      )
      expect(targets.filter((target) => /secret\.key|postgres|kherad\.config/.test(target))).toEqual([])
    }
  },
)

/** The place of a cloud among the hosts, by the same hash as the API's. */
function placeOfCloud(cloudId: string): number {
  const rank = ({ channelPort }: HostPlace): string =>
    createHash('sha256').update(`https://127.0.0.1:${channelPort} ${cloudId}`).digest('hex')
  return rank(places[0]!) > rank(places[1]!) ? 0 : 1
}

test('a host that is killed during a call: a clear error and no second run, and the next call runs on the other host', async () => {
  const cloud = await world.newCloud()
  // It waits for calls of its own, whose time is not its own: longer than the test needs.
  await deploy(
    cloud,
    'slow',
    `export default { async fetch(request, env) {
      const { search } = new URL(request.url)
      if (search === '?inner') await new Promise((resolve) => setTimeout(resolve, 8_000))
      if (search !== '?outer') return new Response('done')
      console.log('begun')
      for (let waits = 0; waits < 12; waits++)
        await fetch(env.SUPABASE_URL + '/functions/v1/slow?inner', { headers: { apikey: env.SUPABASE_ANON_KEY } })
      return new Response('ended')
    } }`,
  )
  const begun = async (): Promise<number> => {
    const logs = await cloud.client.get(`${functionsOf(cloud)}/slow/logs`)
    return JSON.stringify(logs.body).match(/begun/g)?.length ?? 0
  }
  expect(await textOf(cloud, 'slow')).toBe('done')
  const running = call(cloud, 'slow?outer')
  await until(async () => (await begun()) === 1)
  const place = placeOfCloud(cloud.id)
  await hosts[place]!.kill()
  const answer = await running
  expect(answer.status).toBe(502)
  expect(await answer.json()).toMatchObject({ code: 'FUNCTION_HOST_LOST' })
  expect(await textOf(cloud, 'slow')).toBe('done')
  expect(await begun()).toBe(1)
  // The others have two again.
  hosts[place] = await start(places[place]!)
  await until(async () => (await hosts[place]!.ready()).connected === 1)
})

test('with a database in its environment a host does not start, and does not repeat its address', async () => {
  const { closed, output, end } = await spawnHost({
    KHERAD_FUNCTIONS_KEY: key,
    KHERAD_PORT: '0',
    DATABASE_URL: 'postgres://secret-user@127.0.0.1/c',
  })
  expect((await closed)[0]).toBe(1)
  expect(output()).toContain('DATABASE_URL')
  expect(output()).not.toContain('secret-user')
  await end('SIGKILL')
})

test('nor with any other secret of the platform, be it in a variable or in the data folder', async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'kherad-host-data-'))
  const refusing = (variables: Record<string, string>) => () =>
    refuseSecrets(readEnv({ KHERAD_DATA: dataDir, KHERAD_FUNCTIONS_KEY: key, ...variables }))
  expect(refusing({ https_proxy: 'http://u:p@127.0.0.1:1', HOME: '/', KHERAD_SECRET: '' })).not.toThrow()
  for (const name of ['KHERAD_SECRET', 'KHERAD_BOOTSTRAP_KEY', 'KHERAD_KEY', 'OPENAI_API_KEY', 'FAL_KEY'])
    expect(refusing({ [name]: 'secret-value' }), name).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(`^${name} `),
        fa: expect.stringContaining(name),
      }),
    )
  await writeFile(path.join(dataDir, 'secret.key'), 'a')
  expect(refusing({})).toThrow('secret.key')
  await rm(dataDir, { recursive: true })
})

test('the file of a host has no section of the platform', () => {
  const load = (text: string) => () => loadFunctionsHostConfig(readEnv({ KHERAD_FUNCTIONS_KEY: key }), text)
  expect(load('functions:\n  processes: 3\n')().functions.processes).toBe(3)
  for (const text of ['providers: []\n', 'storage: {}\n', 'mail: {}\n']) expect(load(text)).toThrow()
})

test.each([
  'http://10.0.0.7:8081',
  'https://10.0.0.7',
  'https://10.0.0.7:8081/path',
  'https://u@10.0.0.7:8081',
  '10.0.0.7:8081',
])('%s is no address of a host', (url) => {
  const text = `functions:\n  hosts:\n    - { url: '${url}', key: ${key} }\n`
  expect(() => loadConfig(readEnv({}), text)).toThrow('functions.hosts')
})

test('a key is as long as 32 random bytes, and one host is named once', () => {
  const load =
    (channelKey: string, count = 1) =>
    () =>
      loadConfig(
        readEnv({}),
        `functions:\n  hosts:\n${`    - { url: 'https://10.0.0.7:8081', key: '${channelKey}' }\n`.repeat(count)}`,
      )
  expect(load('a'.repeat(43))().functions.hosts).toHaveLength(1)
  expect(load('a'.repeat(42))).toThrow('functions.hosts')
  expect(load('a'.repeat(43), 2)).toThrow('functions.hosts')
})
