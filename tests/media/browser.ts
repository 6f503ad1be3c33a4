/** A page of a browser that runs without a window, from an origin of its own. */
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { startMs } from '../harness/until.ts'

export const browserPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
)
if (browserPath === undefined)
  console.warn('Nothing is played or shown in a browser: there is no Chromium on this machine.')

/** Closed with the stack. Only where `browserPath` is there. */
export async function openBrowser(stack: AsyncDisposableStack, args: string[] = []): Promise<Browser> {
  const executablePath = browserPath as string
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', ...args],
    timeout: startMs,
  })
  stack.defer(() => browser.close())
  return browser
}

/**
 * Tabs of a browser that lets a page send the cookies of other sites along, which a person may allow. Closed with the stack. Only where
 * `browserPath` is there.
 */
export async function openTabs(stack: AsyncDisposableStack, args: string[] = []): Promise<BrowserContext> {
  const folder = await mkdtemp(path.join(tmpdir(), 'kherad-browser-'))
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  await mkdir(path.join(folder, 'Default'))
  const preferences = { profile: { cookie_controls_mode: 0, block_third_party_cookies: false } }
  await writeFile(path.join(folder, 'Default', 'Preferences'), JSON.stringify(preferences))
  const executablePath = browserPath as string
  const tabs = await chromium.launchPersistentContext(folder, {
    executablePath,
    args: ['--no-sandbox', ...args],
    timeout: startMs,
  })
  tabs.setDefaultTimeout(startMs)
  stack.defer(() => tabs.close())
  return tabs
}

/** A page of an origin of its own, which may play sound. Closed with the stack. */
export async function openPage(stack: AsyncDisposableStack): Promise<Page> {
  const site = createServer((_, reply) => reply.setHeader('content-type', 'text/html').end('<!doctype html>'))
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  stack.defer(() => void site.close())
  const browser = await openBrowser(stack, ['--autoplay-policy=no-user-gesture-required', '--mute-audio'])
  const page = await browser.newPage()
  page.setDefaultTimeout(startMs)
  await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/`)
  return page
}
