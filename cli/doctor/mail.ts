import type { Config } from '#platform/config'
import { MailDeferred, tryMailServer } from '#platform/mail'
import type { Outbound } from '#platform/proxy'
import { broken, type DoctorCheck, ok, runCheck } from './check.ts'
import { providerPhrases as words } from './provider-phrases.ts'

const timeoutMs = 10_000

/** Checks whether the mail server takes our login; nothing is sent. There is no check where no mail server is named. */
export async function checkMail({ mail }: Config, outbound: Outbound): Promise<DoctorCheck[]> {
  if (mail === undefined) return []
  const check = await runCheck('mail', async () => {
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      await tryMailServer(mail, outbound, signal)
      return ok('mail', words.mail(`${mail.host}:${mail.port}`))
    } catch (error) {
      if (signal.aborted) return broken('mail', words.mailSlow(timeoutMs / 1_000))
      if (error instanceof MailDeferred) return broken('mail', words.mailBroken(error.why))
      throw error
    }
  })
  return [check]
}
