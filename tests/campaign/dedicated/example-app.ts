/** An example of the repository, made by the commands of its README and used in a real browser. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { asProcess } from '../../cli/command-line.ts'
import { jailTested } from '../../cloud/functions/scene.ts'
import type { World } from '../../harness/world.ts'
import { openBrowser } from '../../media/browser.ts'

const { kherad } = asProcess

const root = path.resolve(import.meta.dirname, '../../..')

export const password = 'گذرواژهٔ دراز ۱۲۳'

export interface ExampleApp extends AsyncDisposable {
  /** For files of a test. */
  folder: string
  /** What any page complained about, or was refused. */
  complaints: string[]
  /** A browser of its own, at the first page of the app. */
  visitor(): Promise<Page>
}

/** `commands`: those of its README that are run before its pages are built and published. The example leaves with its world. */
export async function openExample(
  name: string,
  world: World,
  commands: readonly string[],
): Promise<ExampleApp> {
  await using stack = new AsyncDisposableStack()
  stack.use(world)
  const folder = await mkdtemp(path.join(tmpdir(), `kherad-${name}-`))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const address = await published(name, world, { folder, commands })
  const browser = await openBrowser(stack)
  const complaints: string[] = []
  const open = stack.move()
  return {
    ...{ folder, complaints },
    async visitor() {
      const context = await browser.newContext({ viewport: { width: 760, height: 980 } })
      open.defer(() => context.close())
      // Those of Playwright are half a minute.
      context.setDefaultTimeout(120_000)
      const tab = await context.newPage()
      tab.on('console', (message) => complaints.push(message.text()))
      tab.on('pageerror', (error) => complaints.push(error.message))
      tab.on('response', async (reply) => {
        if (reply.status() >= 400) complaints.push(`${reply.status()}: ${reply.url()} ${await reply.text()}`)
      })
      await tab.goto(address)
      return tab
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

/** Its address, when every command has ended well. */
async function published(
  name: string,
  world: World,
  { folder, commands }: { folder: string; commands: readonly string[] },
): Promise<string> {
  const key = await world.key()
  const readme = await readFile(path.join(root, 'examples', name, 'README.md'), 'utf8')
  const page = path.join(folder, 'dist')
  /** A command as the README has it, with this folder in place of the one that it names. */
  const run = async (command: string): Promise<string> => {
    expect(readme.split('\n')).toContain(command)
    const own = command
      .replaceAll("'", '')
      .split(' ')
      .slice(2)
      .map((word) => word.replace(`examples/${name}/dist`, page).replace(/^examples/, `${root}/examples`))
    const env = { KHERAD_KEY: key.secret, KHERAD_BASE_URL: world.url, KHERAD_LOCALE: 'en' }
    const { code, out, err } = await kherad(env, ...own)
    expect(code, `${command}: ${err}`).toBe(0)
    return out.trim()
  }
  await jailTested(world)
  for (const command of commands) await run(command)
  const connection = Object.fromEntries(
    (await run(`npx kherad cloud connection ${name}`)).split('\n').map((line) => line.split('=')),
  )
  const build = path.join(root, 'examples/build.mjs')
  const { SERVICE_URL: url, PUBLIC_KEY: publicKey } = connection
  await promisify(execFile)(process.execPath, [build, name, url, publicKey, page])
  return run(`npx kherad site publish examples/${name}/dist --name ${name} --cloud ${name} --public`)
}
