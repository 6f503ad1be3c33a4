/**
 * Writes the pictures of all pages into docs/console: `npm run console:screenshots`, or with words only of the pages in whose names they stand. The data
 * are those of a made-up shop, the clocks stand still.
 */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import sharp from 'sharp'
import { ownRoot } from '#account/console-build'
import { cookieName } from '#platform/http'
import { browserPath } from '../../tests/media/browser.ts'
import { fileOf, pictureBytes, pictureFolder, type Shot, shotsOf, type View, views } from './pictures.ts'
import { openSampleServer } from './sample/server.ts'
import { endMs, fillShop, startMs } from './sample/shop.ts'

const words = process.argv.slice(2)
const folder = path.join(ownRoot, pictureFolder)
await using stack = new AsyncDisposableStack()
const server = await openSampleServer(stack, { startMs, credits: 6_000 })
const shop = await fillShop(server)
const { origin, world } = server
const browser = await chromium.launch({ executablePath: browserPath as string, args: ['--no-sandbox'] })
stack.defer(() => browser.close())

async function openContext(): Promise<BrowserContext> {
  const context = await browser.newContext({
    ...{ locale: 'fa-IR', timezoneId: 'Asia/Tehran', reducedMotion: 'reduce' },
  })
  await context.clock.setFixedTime(endMs)
  return context
}

/** The tab of the owner of the shop. */
async function ownTab(): Promise<Page> {
  const context = await openContext()
  const name = cookieName(origin, world.app.sessions.installation, 'session')
  await context.addCookies([{ name, value: shop.owner.cookies.get(name)!, url: origin, httpOnly: true }])
  const page = await context.newPage()
  await page.goto(`${origin}/sign-in`)
  await page.evaluate(`localStorage.setItem('kherad.signed-in', '1')`)
  await page.evaluate(`localStorage.setItem('kherad.project', '${world.project}')`)
  return page
}

async function strangersTab(): Promise<Page> {
  const page = await (await openContext()).newPage()
  await page.goto(`${origin}/sign-in`)
  return page
}

function addressOf(shot: Shot): string {
  if (shot.name === 'link') return shop.invitation
  const id = shop.ids[shot.path]
  if (shot.path.includes('$') && id === undefined) throw new Error(`The shop has nothing for ${shot.path}.`)
  return origin + shot.path.replace(/\$\w+/, id ?? '')
}

/** Resolves once the page shows what it has read. */
async function settled(page: Page): Promise<void> {
  await page.getByRole('heading').first().waitFor()
  await page.waitForLoadState('networkidle')
  await page.locator('[role="status"][aria-label]').first().waitFor({ state: 'detached' })
  await page.evaluate('(document.body.offsetHeight, document.fonts.ready.then(() => undefined))')
}

/** As good as it can be within the bytes that a picture may have. */
async function compressed(png: Buffer): Promise<Buffer> {
  for (const quality of [90, 82, 74, 66, 58, 50, 40, 30]) {
    const webp = await sharp(png).webp({ quality, effort: 6, smartSubsample: true }).toBuffer()
    if (webp.length <= pictureBytes) return webp
  }
  throw new Error('The picture is too large.')
}

async function take(page: Page, shot: Shot, view: View): Promise<void> {
  await page.setViewportSize(view.size)
  await page.evaluate(`localStorage.setItem('kherad.locale', '${view.locale}')`)
  await page.goto('about:blank')
  await page.goto(addressOf(shot))
  await settled(page)
  const whole = (await page.evaluate('document.documentElement.scrollHeight')) as number
  const tallest = Math.min(view.maxHeight, shot.maxHeight ?? view.maxHeight)
  const height = Math.min(tallest, Math.max(view.size.height, whole))
  await page.setViewportSize({ width: view.size.width, height })
  const png = await page.screenshot({ animations: 'disabled', caret: 'hide' })
  await writeFile(path.join(folder, fileOf(shot, view)), await compressed(png))
  await page.goto(`${origin}/sign-in`)
}

await mkdir(folder, { recursive: true })
const shots = await shotsOf()
const known = new Set(shots.flatMap((shot) => views.map((view) => fileOf(shot, view))))
for (const file of await readdir(folder)) if (!known.has(file)) await rm(path.join(folder, file))
const [own, strangers] = [await ownTab(), await strangersTab()]
for (const shot of shots.filter(
  ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
))
  for (const view of views) {
    await take(shot.isOfStranger ? strangers : own, shot, view)
    process.stdout.write(`${path.join(pictureFolder, fileOf(shot, view))}\n`)
  }
