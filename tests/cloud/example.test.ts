/** The to-do app of examples/todo, made by the commands of its README and used in a real browser. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { kherad } from '../cli/command-line.ts'
import { boot, type World } from '../harness/world.ts'
import { browserPath, openBrowser } from '../media/browser.ts'

const root = path.resolve(import.meta.dirname, '../..')
const example = path.join(root, 'examples/todo')
const password = 'گذرواژهٔ دراز ۱۲۳'
const note = 'نان، پنیر، سبزی'

/** Its address, when every command of the README has ended well. */
async function published(world: World, folder: string): Promise<string> {
  const key = await world.key()
  const readme = await readFile(path.join(example, 'README.md'), 'utf8')
  const page = path.join(folder, 'dist')
  /** A command as the README has it, with this folder in place of the one that it names. */
  const run = async (command: string): Promise<string> => {
    expect(readme.split('\n')).toContain(command)
    const words = command.replaceAll("'", '').split(' ').slice(2)
    const own = words.map((word) =>
      word.replace('examples/todo/dist', page).replace(/^examples/, `${root}/examples`),
    )
    const env = { KHERAD_KEY: key.secret, KHERAD_BASE_URL: world.url, KHERAD_LOCALE: 'en' }
    const { code, out, err } = await kherad(env, ...own)
    expect(code, `${command}: ${err}`).toBe(0)
    return out.trim()
  }
  await run('npx kherad cloud create todo')
  await run('npx kherad cloud collections create todo todos')
  await run('npx kherad cloud functions deploy todo examples/todo/functions/summary.js')
  const connection = Object.fromEntries(
    (await run('npx kherad cloud connection todo')).split('\n').map((line) => line.split('=')),
  )
  const { SERVICE_URL: url, PUBLIC_KEY: publicKey } = connection
  await promisify(execFile)(process.execPath, [
    path.join(root, 'examples/build.mjs'),
    'todo',
    url,
    publicKey,
    page,
  ])
  return run('npx kherad site publish examples/todo/dist --name todo --cloud todo --public')
}

describe.skipIf(browserPath === undefined)('the to-do app', () => {
  const stack = new AsyncDisposableStack()
  let browser: Browser
  let address: string
  let file: string
  /** What any page complained about, or was refused. */
  const complaints: string[] = []

  beforeAll(async () => {
    const world = stack.use(await boot())
    const folder = await mkdtemp(path.join(tmpdir(), 'kherad-todo-'))
    stack.defer(() => rm(folder, { recursive: true, force: true }))
    file = path.join(folder, 'یادداشت.txt')
    await writeFile(file, note)
    address = await published(world, folder)
    browser = await openBrowser(stack)
  })
  afterAll(() => stack.disposeAsync())

  /** A browser of its own, at the door of the app. */
  async function visitor(): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 760, height: 980 } })
    stack.defer(() => context.close())
    const tab = await context.newPage()
    tab.on('console', (message) => complaints.push(message.text()))
    tab.on('pageerror', (error) => complaints.push(error.message))
    tab.on('response', async (reply) => {
      if (reply.status() >= 400) complaints.push(`${reply.status()}: ${reply.url()} ${await reply.text()}`)
    })
    await tab.goto(address)
    return tab
  }
  async function enter(tab: Page, email: string, button: string): Promise<void> {
    await tab.getByLabel('ایمیل').fill(email)
    await tab.getByLabel('گذرواژه').fill(password)
    await tab.getByRole('button', { name: button }).click()
    await newTodo(tab).waitFor()
  }
  const newTodo = (tab: Page) => tab.getByPlaceholder('کار تازه…')
  const todo = (tab: Page, title: string) => tab.getByRole('checkbox', { name: title })
  async function add(tab: Page, title: string): Promise<void> {
    await newTodo(tab).fill(title)
    await tab.getByRole('button', { name: 'افزودن', exact: true }).click()
    await todo(tab, title).waitFor()
  }
  const text = (tab: Page, id: string) => expect.poll(() => tab.locator(id).textContent())

  test('who signs up keeps tasks, a private file and a report of a function over a reload, and a second user sees none of it', async () => {
    const sara = await visitor()
    await enter(sara, 'sara@example.com', 'ساختن حساب')
    await text(sara, '#left').toBe('هنوز کاری ننوشته‌اید.')
    for (const title of ['نان بخرم', 'به مادر زنگ بزنم', 'می‌خواهم <b>كتاب</b> بخوانم']) await add(sara, title)
    await text(sara, '#left').toBe('۳ کار مانده است.')
    const today = new Intl.DateTimeFormat('fa-IR-u-ca-persian', { day: 'numeric', month: 'long' })
    expect(await sara.locator('#todos small').first().textContent()).toBe(today.format(new Date()))

    await todo(sara, 'نان بخرم').check()
    await text(sara, '#left').toBe('۲ کار مانده است.')
    await sara.getByRole('button', { name: 'حذف «به مادر زنگ بزنم»' }).click()
    await text(sara, '#left').toBe('۱ کار مانده است.')
    await sara.getByLabel('افزودن پرونده').setInputFiles(file)
    await sara.getByText('یادداشت.txt').waitFor()
    await sara.getByRole('button', { name: 'گزارش کارها را بساز' }).click()
    const report = '۱ کار از ۲ کار انجام شده است؛ بعدی: «می‌خواهم <b>كتاب</b> بخوانم».'
    await text(sara, '#summary').toBe(report)

    await sara.reload()
    await todo(sara, 'نان بخرم').waitFor()
    expect(await todo(sara, 'نان بخرم').isChecked()).toBe(true)
    expect(await sara.locator('#todos li').count()).toBe(2)
    const downloading = sara.waitForEvent('download')
    await sara.getByRole('button', { name: 'دریافت' }).click()
    const saved = await downloading
    expect(saved.suggestedFilename()).toBe('یادداشت.txt')
    expect(await readFile(await saved.path(), 'utf8')).toBe(note)

    const omid = await visitor()
    await enter(omid, 'omid@example.com', 'ساختن حساب')
    await text(omid, '#left').toBe('هنوز کاری ننوشته‌اید.')
    expect(await omid.locator('#todos li, #files li').count()).toBe(0)
    await omid.getByRole('button', { name: 'گزارش کارها را بساز' }).click()
    await text(omid, '#summary').toBe('هنوز کاری نوشته نشده است.')

    await omid.getByRole('button', { name: 'خروج' }).click()
    await enter(omid, 'sara@example.com', 'ورود')
    await text(omid, '#left').toBe('۱ کار مانده است.')
    await omid.getByText('یادداشت.txt').waitFor()
    expect(complaints).toEqual([])
  })

  test('a wrong password is told in Persian, and nobody comes in', async () => {
    const tab = await visitor()
    await tab.getByLabel('ایمیل').fill('nobody@example.com')
    await tab.getByLabel('گذرواژه').fill(password)
    await tab.getByRole('button', { name: 'ورود' }).click()
    await text(tab, '#notice').toBe('نشانی ایمیل یا گذرواژه نادرست است.')
    expect(await newTodo(tab).isVisible()).toBe(false)
  })
})
