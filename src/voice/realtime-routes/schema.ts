import { type Static, type TInteger, Type } from 'typebox'
import { pageQuery, plainList } from '#platform/lists'
import {
  anyObject,
  closed,
  described,
  nullable,
  oneOf,
  pageLimit,
  patterned,
  timestamp,
  uuid,
} from '#platform/schema'
import type { SoundState } from '#voice/realtime'

const callId = patterned('^rtc_[0-9a-f]{32}$', {
  en: 'must be the id of a call: rtc_ and 32 hexadecimal digits',
  fa: 'باید شناسهٔ یک تماس باشد: rtc_ و ۳۲ رقم شانزده‌شانزدهی',
})

const CallId = Type.String({ ...callId, ...described('The id of a call.', 'شناسهٔ یک تماس.') })

export const CallParams = Type.Object({ id: CallId })

export const CallsQuery = pageQuery(
  {
    max: 100,
    after: Type.Optional(
      Type.String({ ...callId, ...described('Calls older than this one.', 'تماس‌های پیش از این تماس.') }),
    ),
  },
  { status: Type.Optional(oneOf('starting', 'active', 'ended')) },
)

/** The query of DELETE, for clients that drop its body. */
export const EndQuery = Type.Object({ id: Type.Optional(CallId) }, closed)

export const EndBody = Type.Object(
  {
    id: Type.Optional(CallId),
    call_id: Type.Optional(Type.String({ ...callId, ...described('The same as `id`.', 'همان `id`.') })),
  },
  closed,
)

/** A call, as its account reads it. */
export const CallRecord = Type.Object({
  id: CallId,
  object: Type.Literal('realtime.call'),
  status: oneOf('starting', 'active', 'ended'),
  reason: nullable(
    Type.Unsafe<string>({
      ...oneOf('client', 'idle', 'expired', 'credits', 'disconnected', 'failed', 'revoked', 'stopped'),
      ...described('Why it has ended.', 'چرا پایان یافته است.'),
    }),
  ),
  model: Type.String(),
  engine: oneOf('pipeline', 'relay', 'passthrough', 'transcription'),
  transport: oneOf('webrtc', 'websocket'),
  agent_id: nullable(uuid()),
  store: Type.Boolean(described('Its words and its sound are kept.', 'سخنان و صدای آن نگه داشته می‌شود.')),
  sound: nullable(
    Type.Unsafe<SoundState>({
      ...oneOf('recording', 'stored', 'lost'),
      ...described(
        'Where it is kept: under way, stored as `file_id`, or lost: there was no room for it, or its process died. The call goes on without.',
        'اگر نگه داشته می‌شود: در حال ضبط، ذخیره‌شده با نام `file_id`، یا ازدست‌رفته: جایی برایش نبود یا پردازه‌اش از کار افتاد. تماس بدون آن ادامه می‌یابد.',
      ),
    }),
  ),
  file_id: nullable(
    Type.String({
      ...uuid(),
      ...described(
        'Its sound, the caller left and the assistant right: `GET /v1/files/{id}`.',
        'صدای آن، تماس‌گیرنده در چپ و دستیار در راست: `GET /v1/files/{id}`.',
      ),
    }),
  ),
  created_at: timestamp(),
  started_at: nullable(timestamp()),
  expires_at: timestamp(),
  ended_at: nullable(timestamp()),
  seconds: Type.Integer({
    minimum: 0,
    ...described('From connected to the end, rounded up.', 'از برقراری تماس تا پایان، گردشده به بالا.'),
  }),
  turns: Type.Integer({ minimum: 0, ...described('Answers.', 'شمار پاسخ‌ها.') }),
  credits: Type.Integer({
    minimum: 0,
    ...described('What it has cost; 0 until it has ended.', 'هزینهٔ آن؛ تا پیش از پایان ۰.'),
  }),
  microcredits: Type.String({
    pattern: '^[0-9]+$',
    ...described('The same exactly: a millionth of a credit.', 'همان، دقیق: یک‌میلیونم اعتبار.'),
  }),
  pending: Type.Boolean(
    described(
      'It is to end, and what it has cost is not settled yet.',
      'در حال پایان است و هزینه‌اش هنوز تسویه نشده.',
    ),
  ),
  request_id: Type.String({
    ...uuid(),
    ...described('Of its receipt: `GET /v1/requests/{id}`.', 'رسید آن: `GET /v1/requests/{id}`.'),
  }),
})
export type CallRecord = Static<typeof CallRecord>

export const TranscriptQuery = Type.Object(
  {
    limit: pageLimit(500, 100),
    after: Type.Optional(
      Type.Integer({
        minimum: -1,
        maximum: 2_147_483_647,
        default: -1,
        ...described(
          'What was said after this position: `last` of the page before.',
          'آنچه پس از این جایگاه گفته شد: `last` صفحهٔ پیشین.',
        ),
      }),
    ) as unknown as TInteger,
  },
  closed,
)

const Spoken = Type.Object({
  position: Type.Integer({ minimum: 0 }),
  role: oneOf('user', 'assistant'),
  text: Type.String(
    described(
      'What was interrupted is cut where it was heard last.',
      'آنچه قطع شد همان‌جا که آخرین بار شنیده شد بریده شده است.',
    ),
  ),
  at_ms: Type.Integer({
    minimum: 0,
    ...described('Since the call was connected.', 'از برقراری تماس.'),
  }),
})

export const Transcript = Type.Object({
  object: Type.Literal('realtime.transcript'),
  data: Type.Array(Spoken),
  has_more: Type.Boolean(),
  last: nullable(Type.Integer({ minimum: 0 })),
})
export type Transcript = Static<typeof Transcript>

export const DeletedTranscript = Type.Object({
  id: CallId,
  object: Type.Literal('realtime.transcript'),
  deleted: Type.Literal(true),
})

export const CallList = plainList.schema(CallRecord, CallId)

const storeWords = Type.Boolean(
  described(
    'Keep its words and its sound; left out: not. A client secret says so itself.',
    'سخنان و صدای تماس نگه داشته شود؛ اگر نیاید، نه. رمز کوتاه‌مدت خودش آن را تعیین کرده است.',
  ),
)
export const AgentId = Type.String({
  ...uuid(),
  ...described(
    'An agent of the project, of the kind chat: it answers by its instructions, model, knowledge and tools. A client secret has its own.',
    'عاملی از همین پروژه، از نوع chat: با دستور، مدل، دانش و ابزارهای خودش پاسخ می‌دهد. رمز کوتاه‌مدت عامل خودش را دارد.',
  ),
})

export const SocketQuery = Type.Object(
  {
    model: Type.Optional(
      Type.String({
        maxLength: 200,
        ...described(
          'A realtime or a text model; left out: `defaults.realtime_model` of the configuration. A client secret has its own.',
          'یک مدل realtime یا متنی؛ اگر نیاید `defaults.realtime_model` پیکربندی. رمز کوتاه‌مدت مدل خودش را دارد.',
        ),
      }),
    ),
    store: Type.Optional(storeWords),
    intent: Type.Optional(
      Type.Unsafe<'transcription'>({
        ...oneOf('transcription'),
        ...described(
          'What is said is written down, and nothing is answered: `model` is a transcription model, left out the default one.',
          'گفته‌ها فقط نوشته می‌شود و پاسخی نمی‌آید: `model` یک مدل رونویسی است و اگر نیاید مدل پیش‌فرض.',
        ),
      }),
    ),
    agent_id: Type.Optional(AgentId),
  },
  closed,
)

const Session = anyObject(
  described(
    'As the session of `session.update` in a call; what has no effect here is ignored.',
    'مانند session در رویداد `session.update` تماس؛ آنچه اینجا اثری ندارد نادیده می‌ماند.',
  ),
)

/** The most characters of an offer, which are its bytes too. */
export const maxSdpLength = 65_536
const maxSessionLength = 65_536
/** The most characters of a session in a query, which is bounded by the length of a line of HTTP. */
const maxQuerySessionLength = 8_192

const Sdp = Type.String({
  minLength: 1,
  maxLength: maxSdpLength,
  ...described(
    'The offer of RTCPeerConnection.createOffer(), as it is.',
    'متن createOffer() همان‌گونه که هست.',
  ),
})
const modelOrDefault = Type.String({
  maxLength: 200,
  ...described(
    'A realtime or a text model; left out: that of the session, or `defaults.realtime_model`. A client secret has its own.',
    'یک مدل realtime یا متنی؛ اگر نیاید مدل session یا `defaults.realtime_model`. رمز کوتاه‌مدت مدل خودش را دارد.',
  ),
})
const sessionText = (maxLength: number) =>
  Type.String({ maxLength, ...described('The session as the text of JSON.', 'session به شکل متن JSON.') })

export const CreateBody = Type.Object(
  {
    sdp: Sdp,
    model: Type.Optional(modelOrDefault),
    agent_id: Type.Optional(AgentId),
    voice: Type.Optional(
      Type.String({
        maxLength: 100,
        ...described('As `audio.output.voice` of the session.', 'همان `audio.output.voice` در session.'),
      }),
    ),
    instructions: Type.Optional(
      Type.String({
        maxLength: 12_000,
        ...described('As `instructions` of the session.', 'همان `instructions` در session.'),
      }),
    ),
    session: Type.Optional(Session),
    max_seconds: Type.Optional(
      Type.Integer({
        minimum: 10,
        maximum: 3_600,
        ...described(
          'The call ends after so long; never later than the operator allows.',
          'تماس پس از این مدت پایان می‌یابد؛ هرگز دیرتر از آنچه گرداننده اجازه داده نیست.',
        ),
      }),
    ),
    store: Type.Optional(storeWords),
  },
  closed,
)

/** The query beside an offer that is the whole body. */
export const CreateQuery = Type.Object(
  {
    model: Type.Optional(modelOrDefault),
    agent_id: Type.Optional(AgentId),
    session: Type.Optional(sessionText(maxQuerySessionLength)),
    store: Type.Optional(storeWords),
  },
  closed,
)

export const CreateForm = Type.Object(
  { sdp: Sdp, session: Type.Optional(sessionText(maxSessionLength)) },
  closed,
)

/** A call that was begun, with the answer to its offer. */
export const CreatedCall = Type.Object({
  id: CallId,
  object: Type.Literal('realtime.call'),
  status: Type.Literal('active'),
  model: Type.String(),
  engine: oneOf('pipeline', 'relay', 'passthrough', 'transcription'),
  sdp: Type.String(described('For setRemoteDescription().', 'برای setRemoteDescription().')),
  created_at: timestamp(),
  expires_at: timestamp(),
  max_seconds: Type.Integer(),
  reserved_credits: Type.Integer({
    minimum: 0,
    ...described(
      'Held for its first turn; it grows and shrinks as the call goes on.',
      'برای نخستین نوبت کنار گذاشته شد؛ با پیش رفتن تماس کم و زیاد می‌شود.',
    ),
  }),
  request_id: Type.String({
    ...uuid(),
    ...described('Of its receipt: `GET /v1/requests/{id}`.', 'رسید آن: `GET /v1/requests/{id}`.'),
  }),
})
export type CreatedCall = Static<typeof CreatedCall>

export const SecretBody = Type.Object(
  {
    expires_after: Type.Optional(
      Type.Object(
        {
          anchor: Type.Optional(Type.Literal('created_at')),
          seconds: Type.Optional(
            Type.Integer({
              minimum: 10,
              maximum: 7_200,
              default: 600,
              ...described(
                'How long calls may be begun with it; one that was begun goes on.',
                'تا چند ثانیه می‌توان با آن تماس گرفت؛ تماسی که آغاز شده ادامه می‌یابد.',
              ),
            }),
          ),
        },
        closed,
      ),
    ),
    agent_id: Type.Optional(AgentId),
    session: Type.Optional(Session),
    store: Type.Optional(
      Type.Boolean({
        default: false,
        ...described(
          'Keep words and sound of the calls that are begun with it.',
          'سخنان و صدای تماس‌هایی که با آن آغاز می‌شوند نگه داشته شود.',
        ),
      }),
    ),
  },
  closed,
)

export const Secret = Type.Object({
  value: Type.String(described('Shown once.', 'فقط یک بار نشان داده می‌شود.')),
  expires_at: Type.Integer(described('Unix seconds.', 'ثانیه‌های یونیکس.')),
  session: Session,
})
export type Secret = Static<typeof Secret>
