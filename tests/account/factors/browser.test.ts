/** A passkey of a real browser: Chromium makes it with its virtual authenticator, and signs in with it. */
import { chromium } from 'playwright-core'
import { expect, test } from 'vitest'
import { sharedWorld } from '../../harness/shared-world.ts'
import { addVirtualAuthenticator, askBrowser } from '../../harness/virtual-authenticator.ts'
import { localhost, newHolder, strangeBrowser } from './people.ts'

test('Chromium makes a passkey and signs in with it, without a name', async () => {
  await using world = await sharedWorld()
  await using browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
  const page = await browser.newPage()
  await page.goto(`${localhost(world)}/health`)
  await addVirtualAuthenticator(page)
  const sara = await newHolder(world)
  const creation = await sara.post('/v1/me/passkeys/options', {})
  const added = await sara.post('/v1/me/passkeys', {
    response: await askBrowser(page, 'create', creation.body),
  })
  expect(added.status, added.text).toBe(201)

  const stranger = strangeBrowser(world)
  const request = await stranger.post('/v1/sign-in/passkey/options', {})
  const signedIn = await stranger.post('/v1/sign-in/passkey', {
    response: await askBrowser(page, 'get', request.body),
  })
  expect(signedIn.status, signedIn.text).toBe(200)
  expect(signedIn.body.person.id).toBe(sara.personId)
})
