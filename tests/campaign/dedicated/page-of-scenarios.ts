/** Runs in a browser: the list that Node runs, by the same code. What it has no way to do itself, the test does for it. */
import { createClient } from '@supabase/supabase-js'
import { sentAgain } from '../../cloud/sent-again.ts'
import type { App } from '../../cloud/supabase-js/app.ts'
import { mailed } from '../../cloud/supabase-js/mails.ts'
import { type Person, signedOut, signedUp } from '../../cloud/supabase-js/people.ts'
import { realtime } from '../../cloud/supabase-js/realtime.ts'
import { refusals } from '../../cloud/supabase-js/refusals.ts'
import { scenarios as onBoth } from '../../cloud/supabase-js/scenarios.ts'
import { buckets } from './buckets.ts'
import { onlyTables } from './tables.ts'

export interface Outcome {
  name: string
  /** It took the service key, which no browser may send. */
  usesService: boolean
  /** Why it failed; where it is refused, what the app is shown. */
  error: string | undefined
}

interface Given extends Pick<App, 'url' | 'says'> {
  key: string
  serviceKey: string
  /** Calls of `refusals` that are refused here. */
  refused: string[]
}

export type List = 'scenarios' | 'mailed' | 'refusals'

const all = [...onBoth, ...onlyTables, ...buckets, ...realtime]
type Step = { name: string; run(app: App, person: Person): Promise<unknown> }

function stepsOf(list: List, { refused }: Given): Step[] {
  if (list !== 'refusals') return list === 'mailed' ? mailed : all
  const steps = refusals.filter(({ call }) => refused.includes(call))
  return steps.map(({ call, run }) => ({
    name: call,
    async run(app, person) {
      throw await run(app, person)
    },
  }))
}

const bound = globalThis as unknown as Pick<App, 'collection' | 'bucket' | 'deploy' | 'newestMail' | 'press'>

/** `usesService` says whether the service key was asked for since it was read last. */
function pageApp({ url, key, serviceKey, says }: Given): App & { usesService(): boolean } {
  let asked = false
  const send = sentAgain(fetch.bind(globalThis))
  const client: App['client'] = (own = key, flowType = 'implicit') =>
    createClient(url, own, {
      global: { fetch: send },
      auth: signedOut(flowType),
      realtime: { disconnectOnEmptyChannelsAfterMs: 200 },
    })
  const { collection, bucket, deploy, newestMail, press } = bound
  return {
    ...{ url, says, client, fetch: send, collection, bucket, deploy, newestMail, press },
    person: () => signedUp(client()),
    service() {
      asked = true
      return client(serviceKey)
    },
    usesService() {
      const was = asked
      asked = false
      return was
    },
  }
}

/** One after the other, as Node does. */
export async function runList(list: List, given: Given): Promise<Outcome[]> {
  const app = pageApp(given)
  const person = list === 'refusals' ? await app.person() : undefined
  const outcomes: Outcome[] = []
  for (const { name, run } of stepsOf(list, given)) {
    const error = await run(app, person as Person).then(() => undefined, messageOf)
    outcomes.push({ name, usesService: app.usesService(), error })
  }
  return outcomes
}

/** Of what a test got where it expected no error, or of any other. */
const messageOf = ({ message, actual }: Error & { actual?: { message?: string } }): string =>
  actual?.message ?? message
