import { sharedParent } from '#platform/apps'
import type { Config } from '#platform/config'
import { sentence } from '../command.ts'
import { broken, type DoctorCheck, ok, runCheck } from './check.ts'

/** Checks that the domains of strangers' content share no registrable domain with the console; nothing to check without such a domain. */
export async function checkAppsDomain(config: Config): Promise<DoctorCheck[]> {
  const { apps } = config
  const domain = apps.domain ?? apps.cloudDomain
  if (!apps.listens || domain === undefined) return []
  const check = await runCheck('apps_domain', async () => {
    const shared = await sharedParent(config)
    return shared ? broken('apps_domain', words.shared(shared)) : ok('apps_domain', sentence(domain, domain))
  })
  return [check]
}

const words = {
  shared: ({ domain, parent }: { domain: string; parent: string }) =>
    sentence(
      `${domain} و KHERAD_BASE_URL هر دو زیر ${parent} هستند؛ صفحه‌های دیگران می‌توانند برای کنسول کوکی بگذارند. KHERAD_APPS_DOMAIN و KHERAD_CLOUD_DOMAIN را زیر دامنهٔ ثبت‌شدهٔ دیگری بگذارید.`,
      `${domain} and KHERAD_BASE_URL are both below ${parent}, so pages of strangers can plant cookies for the console: set KHERAD_APPS_DOMAIN and KHERAD_CLOUD_DOMAIN below another registered domain.`,
    ),
}
