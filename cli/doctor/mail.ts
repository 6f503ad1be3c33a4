import { mailChannel } from '#account/letters'
import type { Config } from '#platform/config'
import { MailDeferred, tryMailServer } from '#platform/mail'
import type { Outbound } from '#platform/proxy'
import { broken, type DoctorCheck, ok, runCheck, warned } from './check.ts'
import { providerPhrases as words } from './provider-phrases.ts'

const timeoutMs = 10_000

/**
 * Checks whether the mail server takes our login; nothing is sent. Warns where the address of this server is not named: apps' mails leave, and those
 * to people do not. There is no check where no mail server is named.
 */
export async function checkMail(config: Config, outbound: Outbound): Promise<DoctorCheck[]> {
  const { mail } = config
  if (mail === undefined) return []
  const check = await runCheck('mail', async () => {
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      await tryMailServer(mail, outbound, signal)
      if (mailChannel({ config }) === 'none') return warned('mail', words.mailWithoutAddress())
      return ok('mail', words.mail(`${mail.host}:${mail.port}`))
    } catch (error) {
      if (signal.aborted) return broken('mail', words.mailSlow(timeoutMs / 1_000))
      if (error instanceof MailDeferred) return broken('mail', words.mailBroken(error.why))
      throw error
    }
  })
  return [check]
}
