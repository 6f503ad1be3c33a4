import type { Config } from '#platform/config'
import { FetchRefused } from '#platform/net'
import type { Outbound } from '#platform/proxy'
import { openNet } from '../../src/connect.ts'
import { broken, type DoctorCheck, ok, runCheck, warned } from './check.ts'
import { smsPhrases as words } from './sms-phrases.ts'

const timeoutMs = 10_000

/**
 * Checks whether the gateway of text messages can be reached; nothing is sent, because each message costs money (`kherad sms test` sends one). There is no
 * check where no gateway is described.
 */
export async function checkSms(config: Config, outbound: Outbound): Promise<DoctorCheck[]> {
  const { sms } = config
  if (sms === undefined) return []
  const { origin, host } = new URL(sms.url)
  const check = await runCheck('sms', async () => {
    try {
      const options = {
        method: 'HEAD',
        timeoutMs,
        maxBytes: 64 * 1024,
        protocols: ['https:', 'http:'],
      } as const
      // The path may hold the key, so the root is asked for; whatever it answers shows that the gateway is there.
      await openNet(config, outbound).fetch(`${origin}/`, options)
    } catch (error) {
      if (error instanceof FetchRefused) return broken('sms', words.away(host, error.why))
      throw error
    }
    if (sms.changedTemplate === undefined) return warned('sms', words.noChanged())
    return ok('sms', words.there(host, sms.dailyMessages))
  })
  return [check]
}
