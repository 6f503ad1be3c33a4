/** The console in a browser: a server with a mail server and a clock that tests move, and tabs that note what no page may do. */
import assert from 'node:assert/strict'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { buildIfStale } from '#account/console-build'
import type { Role } from '#platform/auth'
import { cookieName } from '#platform/http'
import { freePort } from '../../harness/free-port.ts'
import { MailServer } from '../../harness/mail-server.ts'
import { type Member, type MemberOptions, newMember } from '../../harness/session.ts'
import { SmsGateway } from '../../harness/sms-gateway.ts'
import { soon, startMs } from '../../harness/until.ts'
import { boot, MovableClock, type World, type WorldOptions } from '../../harness/world.ts'
import { browserPath } from '../../media/browser.ts'
import { atOrigin } from './at-origin.ts'

export { browserPath }

export type Locale = 'fa' | 'en'

export const password = 'چهار واژهٔ نامربوط به هم'
export const wide = { width: 1280, height: 860 }
export const phone = { width: 390, height: 844 }

/** Notes what pages break of their policy: the console of the browser names it, too, but not of every directive. */
const watchPolicy = `addEventListener('securitypolicyviolation', (event) =>
  console.error('policy: ' + event.effectiveDirective + ' ' + event.blockedURI + ' ' + event.sourceFile))`

export interface TabOptions {
  locale?: Locale
  viewport?: { width: number; height: number }
  scheme?: 'light' | 'dark'
  /** Whose cookies it has; a new person's, or rather nobody's, if absent. */
  context?: BrowserContext
}

/** A tab of the console. */
export class Tab implements AsyncDisposable {
  readonly page: Page
  readonly context: BrowserContext
  /** Requests to other origins, breaches of the policy, exceptions, errors and warnings in the console of the browser. */
  readonly faults: string[] = []
  readonly #origin: string

  constructor(page: Page, origin: string) {
    this.page = page
    this.context = page.context()
    this.#origin = origin
    page.setDefaultTimeout(soon)
    page.on('pageerror', (error) => this.faults.push(error.message))
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) this.faults.push(message.text())
    })
    page.on('request', (request) => {
      const { origin } = new URL(request.url())
      if (origin !== this.#origin && origin !== 'null') this.faults.push(request.url())
    })
  }

  /** Opens a page of the console, and resolves once it shows what it has read. */
  async open(path: string): Promise<void> {
    await this.page.goto(path.startsWith('http') ? path : this.#origin + path)
    await this.settled()
  }

  /**
   * Resolves once the page has a heading, and nothing in it still loads. Fonts are asked for when text is laid out, so it is, before they are waited
   * for: boxes that were measured with another font would be those of no page.
   */
  async settled(): Promise<void> {
    await this.page.getByRole('heading').first().waitFor()
    await this.page.locator('[role="status"][aria-label]').first().waitFor({ state: 'detached' })
    await this.page.evaluate('(document.body.offsetHeight, document.fonts.ready.then(() => undefined))')
  }

  /** Chooses the language as the menu does, and loads the page anew if it is in the other one. */
  async choose(locale: Locale): Promise<void> {
    if ((await this.page.evaluate('document.documentElement.lang')) === locale) return
    await this.page.evaluate(`localStorage.setItem('kherad.locale', '${locale}')`)
    await this.page.reload()
    await this.settled()
  }

  /** The faults since the last call, without the lines of refusals with these statuses, which the browser itself writes. */
  takeFaults(...expected: number[]): string[] {
    const all = this.faults.splice(0)
    return all.filter(
      (fault) =>
        !expected.some((status) => fault.includes(`the server responded with a status of ${status}`)),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.page.close()
  }
}

export interface SceneOptions extends Pick<WorldOptions, 'env' | 'credits'> {
  /** Sections of kherad.config.yaml beside that of mail. */
  config?: string
  /** Arguments for the browser. */
  args?: string[]
}

export class ConsoleScene implements AsyncDisposable {
  readonly world: World
  readonly mails: MailServer
  readonly messages: SmsGateway
  readonly clock: MovableClock
  readonly browser: Browser
  readonly origin: string
  readonly #stack: AsyncDisposableStack

  private constructor(
    parts: Pick<ConsoleScene, 'world' | 'mails' | 'messages' | 'clock' | 'browser' | 'origin'>,
    stack: AsyncDisposableStack,
  ) {
    this.world = parts.world
    this.mails = parts.mails
    this.messages = parts.messages
    this.clock = parts.clock
    this.browser = parts.browser
    this.origin = parts.origin
    this.#stack = stack
  }

  /** Only where `browserPath` is there. */
  static async open({ config = '', env = {}, args = [], credits }: SceneOptions = {}): Promise<ConsoleScene> {
    const { state } = await buildIfStale()
    assert.ok(state === 'fresh' || state === 'built', `The console is ${state}.`)
    await using stack = new AsyncDisposableStack()
    const mails = stack.use(await MailServer.start())
    const messages = stack.use(await SmsGateway.start())
    const clock = new MovableClock()
    const port = await freePort()
    // The address at which browsers make passkeys without TLS.
    const origin = env['KHERAD_BASE_URL'] ?? `http://localhost:${port}`
    const world = stack.use(
      await boot({
        clock,
        config: `${mails.config}${messages.config()}net: { allow_cidrs: [127.0.0.0/8] }\n${config}`,
        env: { KHERAD_PORT: String(port), KHERAD_APPS_PORT: '0', KHERAD_BASE_URL: origin, ...env },
        ...(credits !== undefined && { credits }),
      }),
    )
    const browser = await chromium.launch({
      ...{ executablePath: browserPath as string, args: ['--no-sandbox', ...args], timeout: startMs },
    })
    stack.defer(() => browser.close())
    return new ConsoleScene({ world, mails, messages, clock, browser, origin }, stack.move())
  }

  async tab({ locale = 'fa', viewport = wide, scheme = 'light', context }: TabOptions = {}): Promise<Tab> {
    const own =
      context ??
      (await this.browser.newContext({
        ...{ viewport, locale: locale === 'fa' ? 'fa-IR' : 'en-GB', timezoneId: 'Asia/Tehran' },
        ...{ colorScheme: scheme, reducedMotion: 'reduce', ignoreHTTPSErrors: true },
      }))
    if (!context) await own.addInitScript(watchPolicy)
    return new Tab(await own.newPage(), this.origin)
  }

  /** A tab of a new member of the world's account, who signed in a moment ago. */
  async memberTab(role: Role, options: TabOptions & MemberOptions = {}): Promise<Tab & { member: Member }> {
    const { installation } = this.world.app.sessions
    const member = atOrigin(await newMember(this.world, role, options), this.origin, installation)
    const tab = await this.tab(options)
    await this.signInAs(tab, member)
    return Object.assign(tab, { member })
  }

  /** Gives the session of a person to a tab, as the sign-in does. */
  async signInAs(tab: Tab, member: Member): Promise<void> {
    const value = member.cookies.get(member.nameOf('session'))!
    const name = cookieName(this.origin, this.world.app.sessions.installation, 'session')
    const isSecure = this.origin.startsWith('https:')
    await tab.context.addCookies([
      { name, value, url: this.origin, httpOnly: true, sameSite: 'Lax', secure: isSecure },
    ])
    await tab.context.addInitScript(
      `if (location.origin === '${this.origin}' && !sessionStorage.getItem('began')) {
         sessionStorage.setItem('began', '1')
         localStorage.setItem('kherad.signed-in', '1')
         localStorage.setItem('kherad.project', '${member.project}')
       }`,
    )
  }

  /** The newest link that was mailed to an address, once as many mails have come. */
  linkTo(email: string, count = 1): Promise<string> {
    return this.#newestIn(email, count, /https?:\/\/\S+#[\w-]+/)
  }

  /** The newest code of six digits that was mailed to an address, as `linkTo`. */
  codeTo(email: string, count = 1): Promise<string> {
    return this.#newestIn(email, count, /\b\d{6}\b/)
  }

  async #newestIn(email: string, count: number, pattern: RegExp): Promise<string> {
    const { text } = await this.mails.mailWith(email, pattern, count)
    return pattern.exec(text)![0]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync()
  }
}
