/** Packages that the operator lets functions import: from a registry of npm, by the command of the operator, into functions. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { asProcess } from '../../cli/command-line.ts'
import { deploy, send, textOf } from '../../cloud/functions/scene.ts'
import { hasJail } from '../../cloud/jail/needs-jail.ts'
import { boot, type TestCloud, type World } from '../../harness/world.ts'

const { done, kherad, refused } = asProcess

const canRun = await hasJail()
const it = test.runIf(canRun)

const configText = `
functions:
  packages:
    - { name: greet-fa, version: 1.2.3 }
    - { name: "@acme/reads-node", version: 1.0.0 }
    - { name: reaches-out, version: 1.0.0 }
`
let folder: string
let marker: string
let env: Record<string, string>
let world: World
let cloud: TestCloud
const stack = new AsyncDisposableStack()
beforeAll(async () => {
  if (!canRun) return
  folder = await mkdtemp(path.join(tmpdir(), 'kherad-packages-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  marker = path.join(folder, 'a-script-ran')
  const registry = await openRegistry()
  world = stack.use(await boot({ config: configText }))
  cloud = await world.newCloud()
  // Where Node would find what a package does not depend on.
  const above = path.join(world.app.config.dataDir, 'node_modules', 'zod')
  await mkdir(above, { recursive: true })
  await writeFile(path.join(above, 'index.js'), 'exports.greet = () => "from above"')
  const file = path.join(folder, 'kherad.config.yaml')
  await writeFile(file, configText)
  env = {
    ...{ KHERAD_DATA: world.app.config.dataDir, KHERAD_CONFIG: file, HOME: folder, KHERAD_LOCALE: 'en' },
    ...{ npm_config_registry: registry, npm_config_cache: path.join(folder, 'cache') },
  }
})
afterAll(() => stack.disposeAsync())

/** What its scripts do would be seen. */
async function openRegistry(): Promise<string> {
  const files = new Map<string, Buffer>()
  const documents = new Map<string, (url: string) => object>()
  const publish = async (manifest: { name: string; version: string }, code: string): Promise<void> => {
    const place = path.join(folder, 'sources', manifest.name)
    await mkdir(path.join(place, 'package'), { recursive: true })
    const scripts = {
      postinstall: `touch ${marker}`,
      preinstall: `touch ${marker}`,
      prepare: `touch ${marker}`,
    }
    const about = { main: 'index.js', scripts, ...manifest }
    await writeFile(path.join(place, 'package', 'package.json'), JSON.stringify(about))
    await writeFile(path.join(place, 'package', 'index.js'), code)
    const archive = path.join(place, 'package.tgz')
    await promisify(execFile)('tar', ['-czf', archive, '-C', place, 'package'])
    const bytes = await readFile(archive)
    files.set(`/${manifest.name}.tgz`, bytes)
    const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
    documents.set(`/${manifest.name}`, (url) => ({
      name: manifest.name,
      'dist-tags': { latest: manifest.version },
      versions: {
        [manifest.version]: { ...about, dist: { tarball: `${url}/${manifest.name}.tgz`, integrity } },
      },
    }))
  }
  const dependencies = { 'tiny-dep': '^1.0.0' }
  await publish(
    { name: 'greet-fa', version: '1.2.3', ...{ dependencies } },
    `const { hello } = require('tiny-dep'); const Emitter = require('events')
     exports.greet = (name) => require('node:util').format('%s %s', new Emitter().listenerCount ? hello : '', name)`,
  )
  await publish({ name: 'tiny-dep', version: '1.4.0' }, `exports.hello = 'سلام'`)
  await publish(
    { name: '@acme/reads-node', version: '1.0.0' },
    `exports.read = require('node:child_process').spawn`,
  )
  await publish({ name: 'reaches-out', version: '1.0.0' }, `module.exports = require('zod')`)
  const server = createServer((request, response) => {
    const wanted = decodeURIComponent(request.url ?? '')
    const document = documents.get(wanted)?.(`http://${request.headers.host}`)
    const answer = files.get(wanted) ?? (document && JSON.stringify(document))
    response.statusCode = answer ? 200 : 404
    response.end(answer ?? '{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  stack.defer(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const importing = (name: string): string => `\nimport { greet } from "${name}"
export default { fetch() { return new Response(greet('گل')) } }`

it('a package of the list is imported once the operator has installed it, with what it depends on, and none of its scripts runs', async () => {
  const early = await send(cloud, 'early', importing('greet-fa'))
  expect([early.status, early.body.error.code, early.body.error.details]).toEqual([
    ...[400, 'FUNCTION_CODE_INVALID'],
    { line: 2, column: 23 },
  ])
  expect(early.body.error.message).toMatch(/lists "greet-fa" and has not installed it yet/)
  const inDoctor = async () => {
    const { checks } = (
      await kherad({ ...env, DATABASE_URL: 'postgres://x@127.0.0.1:1/x' }, 'doctor', '--json')
    ).json
    return checks.find(({ name }: { name: string }) => name === 'function_packages')
  }
  expect(await inDoctor()).toMatchObject({
    state: 'broken',
    message: expect.stringContaining('packages install'),
  })
  const installed = await done(env, 'functions', 'packages', 'install')
  expect(installed.packages).toHaveLength(3)
  expect(existsSync(path.join(installed.folder, 'node_modules', 'tiny-dep', 'index.js'))).toBe(true)
  expect(existsSync(marker)).toBe(false)
  expect(await inDoctor()).toMatchObject({ state: 'ok', message: 'All 3 of the list are installed.' })
  // A second time it changes nothing.
  expect(await done(env, 'functions', 'packages', 'install')).toEqual(installed)
  for (const name of ['greet-fa', 'npm:greet-fa@1.2', 'https://esm.sh/greet-fa@1']) {
    const made = await deploy(cloud, 'greets', importing(name))
    expect(made.packages).toMatchObject([{ name: 'greet-fa', version: '1.2.3' }])
    expect(await textOf(cloud, 'greets')).toBe('سلام گل')
  }
})

it.each([
  // Of a package of the list only: nobody has listed this one.
  [
    'tiny-dep',
    2,
    23,
    /"tiny-dep" cannot be imported\. Functions may import @supabase.*hono, greet-fa, @acme/,
  ],
  ['lodash', 2, 23, /"lodash" cannot be imported/],
  ['greet-fa@2', 2, 23, /names another version; this platform has 1\.2\.3/],
  ['greet-fa/../tiny-dep', 2, 23, /cannot be imported/],
  ['greet-fa/nope', 2, 23, /has no part of the name/],
  ['@acme/reads-node', 2, 23, /is made for another runtime/],
  // What it does not depend on lies in a folder above.
  ['reaches-out', 2, 23, /is made for another runtime/],
])('%s is refused where it is imported', async (name, line, column, why) => {
  const { status, body } = await send(cloud, 'refused', importing(name))
  expect([status, body.error.details]).toEqual([400, { line, column }])
  expect(body.error.message).toMatch(why)
})

it('what the registry does not have leaves nothing, and the operator reads why', async () => {
  const file = path.join(folder, 'other.yaml')
  await writeFile(file, 'functions: { packages: [{ name: not-there, version: 1.0.0 }] }\n')
  const command = ['functions', 'packages', 'install']
  expect(await refused({ ...env, KHERAD_CONFIG: file }, ...command)).toMatchObject({
    ...{ exit: 1, code: 'NOT_INSTALLED', message: expect.stringMatching(/npm said: .*404/s) },
  })
  // Only what was installed before.
  const folders = await readdir(path.join(world.app.config.dataDir, 'function-packages'))
  expect(folders.filter((name) => !/^[0-9a-f]{16}$/.test(name))).toEqual([])
  expect(folders.length).toBeLessThanOrEqual(1)
  await writeFile(file, 'functions: { packages: [] }\n')
  expect(await refused({ ...env, KHERAD_CONFIG: file }, ...command)).toMatchObject({ code: 'NO_PACKAGES' })
})
