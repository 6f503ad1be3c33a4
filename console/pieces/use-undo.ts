import { StepUpStopped } from '../api/ask.ts'
import { useWords } from '../words/use-words.ts'
import { pieceWords } from './pieces.words.ts'
import { sentenceOf } from './states.tsx'
import { showToast } from './toasts.ts'

/** Says of what a change is saved; for ten seconds it can be taken back, by another change that sets what was there before. */
export function useUndo(): (what: string, takeBack: () => Promise<void>) => void {
  const words = useWords(pieceWords)
  return (what, takeBack) =>
    showToast(words.saved(what), {
      undo: () => {
        takeBack()
          .then(() => showToast(words.undone(what)))
          .catch((error: unknown) => {
            // Whoever closes the dialog of the factor has chosen so, and must still know what holds.
            const why = error instanceof StepUpStopped ? words.notUndone : sentenceOf(error, words)
            showToast(why, { kind: 'failure' })
          })
      },
    })
}
