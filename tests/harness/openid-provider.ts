/** Starts a real provider of OpenID Connect beside the test, and signs in at its own forms as a browser does. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'

export interface ProviderClient {
  client_id: string
  client_secret: string
  redirect_uris: string[]
}

/** What the process is started with. */
export interface ProviderStart {
  clients: ProviderClient[]
}

/** Sets the claims of a person; the process answers with the same id. */
export interface ProviderMessage {
  id: number
  login: string
  claims: Record<string, unknown>
}

export interface OpenIdProvider extends AsyncDisposable {
  issuer: string
  /** Sets what the provider says about a person, from now on. */
  setClaims(login: string, claims: Record<string, unknown>): Promise<void>
}

export async function startOpenIdProvider(start: ProviderStart): Promise<OpenIdProvider> {
  const file = path.join(import.meta.dirname, 'openid-provider-main.ts')
  const child = fork(file, [JSON.stringify(start)], { execArgv: [], silent: true })
  const errors: string[] = []
  child.stderr!.on('data', (chunk) => errors.push(String(chunk)))
  const { issuer } = await Promise.race([
    nextMessage<{ issuer: string }>(child),
    once(child, 'exit').then(() => {
      throw new Error(`The provider did not start: ${errors.join('').slice(0, 2_000)}`)
    }),
  ])
  let messages = 0
  return {
    issuer,
    async setClaims(login, claims) {
      const message: ProviderMessage = { id: ++messages, login, claims }
      const answered = nextMessage(child)
      child.send(message)
      await answered
    },
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}

async function nextMessage<Message>(child: ChildProcess): Promise<Message> {
  const [message] = await once(child, 'message')
  return message as Message
}

/** Requests of a sign-in: the page, two forms with an answer each, and the redirects between them. */
const maxSteps = 12

/** A browser at the provider, which keeps the provider's cookies. */
export class ProviderBrowser {
  readonly #cookies = new Map<string, string>()

  /** Follows the address to the end as this person, and returns the address at which the provider sends the browser back. */
  async signIn(address: string, login: string): Promise<string> {
    let response = await this.#request(address)
    let at = new URL(address)
    for (let step = 0; step < maxSteps; step++) {
      const location = response.headers.get('location')
      if (location !== null) {
        await response.body?.cancel()
        const next = new URL(location, at)
        if (next.origin !== new URL(address).origin) return next.href
        at = next
        response = await this.#request(next.href)
        continue
      }
      const page = await response.text()
      const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1]
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1]
      if (action === undefined || prompt === undefined)
        throw new Error(`The provider shows no form (${response.status}): ${page.slice(0, 500)}`)
      at = new URL(action, at)
      response = await this.#request(at.href, new URLSearchParams({ prompt, login, password: 'any' }))
    }
    throw new Error('The provider does not send the browser back.')
  }

  async #request(address: string, form?: URLSearchParams): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(address, {
      redirect: 'manual',
      headers: { cookie },
      ...(form && { method: 'POST', body: form }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
      if (value === '') this.#cookies.delete(name!)
      else this.#cookies.set(name!, value!)
    }
    return response
  }
}
