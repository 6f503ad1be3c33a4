/** What a hostile page does, run in the page itself. Each resolves to what the page learns. */
import type { Page } from 'playwright-core'

/** Runs the body of an asynchronous function in the page; `given` is what it is given, as JSON. */
const run = (page: Page, given: object, body: string): Promise<unknown> =>
  page.evaluate(`(async (given) => { ${body} })(${JSON.stringify(given)})`)

const nameOfError = '(error) => error.name'

/** Fetches and reads the answer; the name of the error where the browser keeps it back. */
export const read = (page: Page, url: string, credentials: 'include' | 'omit'): Promise<unknown> =>
  run(
    page,
    { url, credentials },
    `const { url, ...options } = given
    return fetch(url, options).then(async (reply) => reply.status + ' ' + await reply.text(), ${nameOfError})`,
  )

/** Sends without being allowed to read: the browser lets it through without asking the server first. */
export const send = (page: Page, url: string): Promise<unknown> =>
  run(
    page,
    { url },
    `const headers = { 'content-type': 'text/plain' }
    return fetch(given.url, { method: 'POST', mode: 'no-cors', credentials: 'include', headers, body: '{}' }).then(
      (reply) => [reply.type, reply.status, reply.headers.get('content-type')].join(' '),
      ${nameOfError},
    )`,
  )

/** The status, or the name of the error. */
export const sendMethod = (page: Page, url: string, method: string): Promise<unknown> =>
  run(
    page,
    { url, method },
    `return fetch(given.url, { method: given.method, credentials: 'include' }).then((reply) => reply.status, ${nameOfError})`,
  )

/** A form that is sent into a frame; resolves when the frame has its answer. */
export const sendForm = (page: Page, url: string): Promise<unknown> =>
  run(
    page,
    { url },
    `const frame = document.createElement('iframe')
    frame.name = 'answer'
    const form = document.createElement('form')
    Object.assign(form, { method: 'post', action: given.url, target: 'answer' })
    document.body.append(frame, form)
    const answered = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }))
    form.submit()
    await answered
    frame.remove()
    form.remove()`,
  )

/** Sets a cookie and resolves to all that the page can read. */
export const plant = (page: Page, cookie: string): Promise<unknown> =>
  run(page, { cookie }, 'document.cookie = given.cookie; return document.cookie')

/** Registers a service worker; its scope, or the name of the error. */
export const register = (page: Page, script: string, scope?: string): Promise<unknown> =>
  run(
    page,
    { script, options: scope === undefined ? {} : { scope } },
    `return navigator.serviceWorker.register(given.script, given.options).then(({ scope }) => scope, ${nameOfError})`,
  )

/** Loads an address in a frame and resolves to the one that the browser shows there: that of an error page where it refuses. */
export async function frame(page: Page, url: string): Promise<string> {
  await run(
    page,
    { url },
    `document.querySelector('iframe')?.remove()
    const frame = document.createElement('iframe')
    frame.src = given.url
    const loaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }))
    document.body.append(frame)
    await loaded`,
  )
  const shown = await (await page.$('iframe'))!.contentFrame()
  return (await shown!.evaluate('location.href')) as string
}

/** Opens a window. What the page sees of it, as values or as names of errors, and the window itself. */
export async function openWindow(page: Page, url: string): Promise<{ window: Page; seen: unknown }> {
  const opening = page.waitForEvent('popup')
  await run(page, { url }, 'globalThis.opened = open(given.url)')
  const window = await opening
  await window.waitForLoadState()
  const seen = await run(
    page,
    {},
    `const looks = {
      closed: () => opened.closed,
      title: () => opened.document.title,
      address: () => opened.location.href,
      storage: () => opened.localStorage.length,
    }
    const seen = {}
    for (const [name, look] of Object.entries(looks))
      try { seen[name] = look() } catch (error) { seen[name] = error.name }
    return seen`,
  )
  return { window, seen }
}
