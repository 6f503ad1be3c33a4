/** `voice.pipeline` of the configuration file: the defaults of calls of the engine `pipeline`. */
import { type Static, Type } from 'typebox'
import { oneOf } from '#platform/schema'

export interface PipelineSettings {
  /** A voice of the speech model; one that the model does not have is left out. */
  voice?: string
  /** Instructions that precede those of a session. */
  instructions?: string
  /** `silence`: a turn ends after half a second without speech, whatever its words are. */
  endOfTurn: 'words' | 'silence'
}

export const pipelineSchema = Type.Object(
  {
    voice: Type.Optional(
      Type.String({ minLength: 1, maxLength: 80, description: 'A voice of the speech model.' }),
    ),
    instructions: Type.Optional(
      Type.String({ maxLength: 12_000, description: 'Instructions that stand before those of each call.' }),
    ),
    end_of_turn: Type.Unsafe<'words' | 'silence'>({
      ...oneOf('words', 'silence'),
      default: 'words',
      description: 'words: a turn ends when its words are a whole sentence; silence: after half a second.',
    }),
  },
  { default: {} },
)

export const readPipeline = ({
  voice,
  instructions,
  end_of_turn,
}: Static<typeof pipelineSchema>): PipelineSettings => ({
  ...(voice !== undefined && { voice }),
  ...(instructions !== undefined && { instructions }),
  endOfTurn: end_of_turn,
})
