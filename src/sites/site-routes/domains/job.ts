import { checkDueDomains } from '#sites/hosting'
import { job } from '../app.ts'

/** Looks for the TXT records of claimed domains, and of proven ones once a day. */
export const domainsJob = job<null>({
  name: 'sites.domains',
  limits: () => ({ perAccount: 1, perProcess: 1 }),
  everyMs: 60_000,
  async handle({ app, signal }) {
    await checkDueDomains(app, signal)
    return undefined
  },
})
