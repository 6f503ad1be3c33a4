import type { ReactNode } from 'react'
import { Notice, useSentence } from '../pieces/states.tsx'
import { useWords } from '../words/use-words.ts'
import { PasskeyStopped } from './passkey.ts'
import { signInWords } from './sign-in.words.ts'

/** What went wrong, above the button; nothing where nothing did. */
export function Failure({ error }: { error: unknown }): ReactNode {
  const words = useWords(signInWords)
  const sentence = useSentence(error)
  if (error === undefined) return null
  return <Notice kind="failure">{error instanceof PasskeyStopped ? words.passkeyStopped : sentence}</Notice>
}
