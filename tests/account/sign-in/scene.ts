/** A server with a mail server, and browsers in which people sign in, sign up and forget passwords. */
import { beginTotp, confirmTotp } from '#account/factors'
import { createPerson, type Person } from '#account/people'
import { cookieName } from '#platform/http'
import type { Seen } from '../../harness/client.ts'
import { MailServer } from '../../harness/mail-server.ts'
import { Browser } from '../../harness/session.ts'
import { totpOf } from '../../harness/totp.ts'
import { boot, MovableClock, type World } from '../../harness/world.ts'

export { totpOf }

export const password = 'چهار واژه از باران'
const origin = 'http://localhost:9'

/** A browser at the address that KHERAD_BASE_URL names, in a network of its own choice. */
export class Visitor extends Browser {
  readonly #world: World
  readonly #from: string

  constructor(world: World, from: string, url: string) {
    super(url, world.app.sessions.installation)
    this.#world = world
    this.#from = from
  }

  override nameOf(kind: 'session' | 'browser' | 'challenge'): string {
    return cookieName(origin, this.#world.app.sessions.installation, kind)
  }

  override headersOf(method: string, more: Record<string, string> = {}): Record<string, string> {
    return super.headersOf(method, { origin, 'x-forwarded-for': this.#from, ...more })
  }

  /** The token of its session; undefined where it is signed out. */
  get session(): string | undefined {
    return this.cookies.get(this.nameOf('session'))
  }

  signIn(email: string, given = password): Promise<Seen> {
    return this.post('/v1/sign-in/password', { email, password: given })
  }
}

let networks = 0

export class Scene implements AsyncDisposable {
  readonly world: World
  readonly mails: MailServer
  readonly clock: MovableClock
  readonly #stack: AsyncDisposableStack

  constructor(world: World, mails: MailServer, clock: MovableClock, stack: AsyncDisposableStack) {
    this.world = world
    this.mails = mails
    this.clock = clock
    this.#stack = stack
  }

  /** A server whose clock stands still, with the named settings of people; without `mail` it sends none. */
  static async open({ people = '', mail = true }: { people?: string; mail?: boolean } = {}): Promise<Scene> {
    await using stack = new AsyncDisposableStack()
    const mails = stack.use(await MailServer.start())
    const clock = new MovableClock()
    const config = `${mail ? mails.config : ''}${people}`
    const env = { KHERAD_BASE_URL: origin, KHERAD_TRUSTED_PROXIES: '127.0.0.1' }
    const world = stack.use(await boot({ clock, config, env }))
    return new Scene(world, mails, clock, stack.move())
  }

  /** A new browser, in a network that nobody else has; `server` where it is another process of this installation. */
  browser(
    from = `10.1.${++networks >> 8}.${networks & 255}`,
    server: { readonly url: string } = this.world,
  ): Visitor {
    return new Visitor(this.world, from, server.url)
  }

  /** A person who is known, with the password of all people here. */
  async known(email = newEmail()): Promise<Person & { email: string }> {
    const passwordHash = await this.world.app.passwords.hash('tests', password)
    const now = new Date(this.clock.nowMs())
    const person = await this.world.app.db.tx((tx) =>
      createPerson(tx, { displayName: 'سارا', locale: 'fa', email, passwordHash }, now),
    )
    return { ...person, email }
  }

  /** Gives the person an authenticator app, and returns its secret and the recovery codes. */
  async addTotp(person: Person): Promise<{ secret: string; recoveryCodes: string[] }> {
    const { app } = this.world
    const now = new Date(this.clock.nowMs())
    return app.db.tx(async (tx) => {
      const begun = await beginTotp(app, tx, person, { name: undefined, issuer: 'Kherad' }, now)
      const given = { factorId: begun.factorId, code: totpOf(begun.secret, this.clock.nowMs()) }
      const added = await confirmTotp(app, tx, person, given, now)
      return { secret: begun.secret, recoveryCodes: added!.recoveryCodes! }
    })
  }

  /** The newest code that was mailed to an address, once as many mails have come; mails that were queued together come in any order. */
  async codeTo(email: string, count = 1): Promise<string> {
    return this.#newestIn(email, count, /\b(\d{6})\b/)
  }

  /** The newest token in a link that was mailed to an address, as `codeTo`. */
  async tokenTo(email: string, count = 1): Promise<string> {
    return this.#newestIn(email, count, /#([\w-]+)/)
  }

  async #newestIn(email: string, count: number, pattern: RegExp): Promise<string> {
    const { text } = await this.mails.mailWith(email, pattern, count)
    return pattern.exec(text)![1]!
  }

  /** How many rows a query finds. */
  async count(text: string, values: unknown[] = []): Promise<number> {
    return (await this.world.app.db.query({ text }, values)).length
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync()
  }
}

let people = 0
export const newEmail = (): string => `person-${++people}@example.org`
