/** A page of a browser that runs without a window, from an origin of its own. */
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chromium, type Page } from 'playwright-core'

export const browserPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
)
if (browserPath === undefined)
  console.warn('Nothing is played or shown in a browser: there is no Chromium on this machine.')

/** Closed with the stack. Only where `browserPath` is there. */
export async function openPage(stack: AsyncDisposableStack): Promise<Page> {
  const site = createServer((_, reply) => reply.setHeader('content-type', 'text/html').end('<!doctype html>'))
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  stack.defer(() => void site.close())
  const browser = await chromium.launch({
    executablePath: browserPath as string,
    args: ['--no-sandbox', '--autoplay-policy=no-user-gesture-required', '--mute-audio'],
  })
  stack.defer(() => browser.close())
  const page = await browser.newPage()
  await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/`)
  return page
}
