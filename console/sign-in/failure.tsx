import type { ReactNode } from 'react'
import { PasskeyKnown, PasskeyStopped } from '../api/passkey.ts'
import { Notice, useSentence } from '../pieces/states.tsx'
import { useWords } from '../words/use-words.ts'
import { signInWords } from './sign-in.words.ts'

/** What went wrong, above the button; nothing where nothing did. */
export function Failure({ error }: { error: unknown }): ReactNode {
  const words = useWords(signInWords)
  const sentence = useSentence(error)
  if (error === undefined) return null
  const own =
    error instanceof PasskeyStopped
      ? words.passkeyStopped
      : error instanceof PasskeyKnown && words.passkeyKnown
  return <Notice kind="failure">{own || sentence}</Notice>
}
