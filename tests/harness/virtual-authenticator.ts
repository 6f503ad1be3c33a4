/** The authenticator of Chromium for tests: it makes passkeys for pages without a person who touches anything. */
import type { Page } from 'playwright-core'

/** Adds an authenticator that keeps passkeys and verifies its person, to the pages of this page's browser context. */
export async function addVirtualAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', automaticPresenceSimulation: true },
      ...{ hasResidentKey: true, hasUserVerification: true, isUserVerified: true },
    },
  })
}

/** Has the page ask its browser for what the server wants, and returns what the browser answers, as JSON. */
export const askBrowser = (page: Page, kind: 'create' | 'get', options: object): Promise<object> =>
  page.evaluate(
    async ([method, wanted]) => {
      // The types of the tests know no browser.
      const { PublicKeyCredential: reader, navigator } = globalThis as never as {
        PublicKeyCredential: Record<string, (options: unknown) => unknown>
        navigator: { credentials: Record<string, (options: object) => Promise<{ toJSON(): object }>> }
      }
      const read = method === 'create' ? 'parseCreationOptionsFromJSON' : 'parseRequestOptionsFromJSON'
      const credential = await navigator.credentials[method]!({ publicKey: reader[read]!(wanted) })
      return credential.toJSON()
    },
    [kind, options] as const,
  )
