/** The person's own page: name, ways to sign in, second factors, sessions, and the way out. */
import type { ReactNode } from 'react'
import { Tabs } from '../../pieces/tabs.tsx'
import { PageHead } from '../../shell/frame.tsx'
import { useAddress } from '../../shell/use-address.ts'
import { useWords } from '../../words/use-words.ts'
import { About } from './about.tsx'
import { OwnData } from './export.tsx'
import { Factors } from './factors.tsx'
import { Leaving } from './leaving.tsx'
import { profileWords } from './profile.words.ts'
import { Sessions } from './sessions.tsx'
import { WaysIn } from './ways-in.tsx'

const parts = {
  about: About,
  'sign-in': WaysIn,
  factors: Factors,
  sessions: Sessions,
  data: OwnData,
  leave: Leaving,
}
type Part = keyof typeof parts
const names = Object.keys(parts) as Part[]

export default function Profile(): ReactNode {
  const words = useWords(profileWords)
  const address = useAddress()
  const named = address.read('tab')
  const shown = names.find((name) => name === named) ?? 'about'
  const Shown = parts[shown]
  return (
    <>
      <PageHead title={words.title} lead={words.lead} />
      <Tabs
        label={words.title}
        tabs={names.map((name) => ({ name, title: words.tabs[name] }))}
        shown={shown}
        onShow={(name) => address.go({ tab: name === 'about' ? undefined : name })}
      >
        <Shown />
      </Tabs>
    </>
  )
}
