import { type Static, Type } from 'typebox'
import { Name } from '#account/keys'
import { roles } from '#account/people'
import { bareList, idCursor, pageQuery, plainList } from '#platform/lists'
import {
  closed,
  described,
  nameSchemas,
  nullable,
  oneOf,
  safeInteger,
  storableText,
  timestamp,
  uuid,
} from '#platform/schema'

const DisplayName = Name('The name that others see.', 'نامی که دیگران می‌بینند.')
const Locale = () => oneOf('fa', 'en')
const RoleName = () => ({
  ...oneOf(...roles),
  ...described(
    'What the member may do: docs/guides/account/people.md.',
    'آنچه عضو می‌تواند بکند: docs/guides/account/people.fa.md.',
  ),
})

export const Me = Type.Object({
  id: uuid(),
  display_name: Type.String(),
  email: nullable(
    Type.String(described('The address with which the person signs in.', 'نشانی‌ای که شخص با آن وارد می‌شود.')),
  ),
  email_proven: Type.Boolean(
    described(
      'False while nobody has proven the address, as where there is no mail.',
      'تا وقتی کسی نشانی را تأیید نکرده است false است، مانند جایی که ایمیل در کار نیست.',
    ),
  ),
  phone: nullable(
    Type.String(
      described(
        'The number to which codes are sent, in E.164: +989123456789.',
        'شماره‌ای که کد به آن پیامک می‌شود، به شکل E.164: ‎+989123456789.',
      ),
    ),
  ),
  locale: Locale(),
  time_zone: Type.String(),
  is_operator: Type.Boolean(),
  has_password: Type.Boolean(),
  created_at: timestamp(),
  deletion: nullable(
    Type.Object(
      { requested_at: timestamp(), due_at: timestamp() },
      described(
        'The person has asked to be deleted, and until then can only take it back.',
        'شخص حذف خود را خواسته است و تا آن زمان فقط می‌تواند پس بگیرد.',
      ),
    ),
  ),
  session: Type.Object({
    id: uuid(),
    stepped_up_until: nullable(
      Type.String(
        described(
          'Until then, what asks for a recent factor is done without another one; null: now asks for one.',
          'تا این زمان کارهایی که تأیید هویت تازه می‌خواهند بی‌پرسش انجام می‌شوند؛ null یعنی اکنون می‌پرسند.',
        ),
      ),
    ),
  }),
})
export type Me = Static<typeof Me>

export const MePatch = Type.Object(
  {
    display_name: Type.Optional(DisplayName),
    locale: Type.Optional(Locale()),
    time_zone: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 60,
        ...described('A name of the IANA database.', 'نامی از فهرست IANA.'),
      }),
    ),
  },
  { ...closed, examples: [{ locale: 'en' }] },
)
export type MePatch = Static<typeof MePatch>

export const IdParams = Type.Object({ id: uuid() })
export const MemberParams = Type.Object({ person_id: uuid() })
export const AccountParams = Type.Object({ account_id: uuid() })

export const Session = Type.Object({
  id: uuid(),
  device: nullable(
    Type.String(
      described('Browser and system, as far as they say so.', 'مرورگر و سیستم، تا جایی که خودشان می‌گویند.'),
    ),
  ),
  method: oneOf('password', 'code', 'sms', 'passkey', 'openid', 'link'),
  opened_from: nullable(
    Type.String(
      described('The network address from which it was opened.', 'نشانی شبکه‌ای که نشست از آن آغاز شد.'),
    ),
  ),
  is_current: Type.Boolean(),
  created_at: timestamp(),
  last_used_at: Type.String(described('Exact to some minutes.', 'با دقت چند دقیقه.')),
  expires_at: timestamp(),
})
export const SessionList = bareList.schema(Session)
export const EndedSession = Type.Object({ id: uuid(), ended: Type.Literal(true) })
export const EndedSessions = Type.Object({ ended: Type.Integer(safeInteger) })

export const MyAccount = Type.Object({
  id: uuid(),
  name: Type.String(),
  state: oneOf('active', 'suspended', 'closing', 'closed'),
  role: RoleName(),
  rights: Type.Array(Type.String(), {
    ...described(
      'Scopes and permissions of the role; a key may get those of them that are scopes.',
      'دسترسی‌های نقش؛ آن‌هایی که دسترسی کلیدند به کلید هم می‌رسند.',
    ),
  }),
  projects: Type.Array(Type.Object({ id: uuid(), name: Type.String() })),
  is_limited: Type.Boolean(
    described(
      'True if only the named projects may be used.',
      'اگر تنها پروژه‌های نام‌برده در دسترس باشند true است.',
    ),
  ),
})
export const MyAccountList = plainList.schema(MyAccount)
export const MyAccountQuery = pageQuery({
  max: 100,
  standard: 100,
  after: idCursor(
    'Accounts made after this one; the next page begins after the last of this.',
    'حساب‌های پس از این یکی؛ صفحهٔ بعد پس از آخرین مورد این صفحه آغاز می‌شود.',
  ),
})
export type MyAccountQuery = Static<typeof MyAccountQuery>

export const LeftAccount = Type.Object({ account_id: uuid(), left: Type.Literal(true) })

const ProjectIds = nullable(
  Type.Array(uuid(), {
    minItems: 1,
    maxItems: 200,
    uniqueItems: true,
    ...described('The projects that may be used; null: all.', 'پروژه‌های در دسترس؛ null یعنی همه.'),
  }),
)
const monthCap = nullable(
  Type.Integer({
    minimum: 0,
    maximum: 1_000_000_000_000,
    ...described(
      'The most that the member may spend in the project in a month by sessions, in credits; null: no cap.',
      'بیشترین خرج ماهانهٔ این عضو در این پروژه از راه نشست‌ها، به اعتبار؛ null یعنی بی‌سقف.',
    ),
  }),
)

export const Member = Type.Object({
  person_id: uuid(),
  display_name: Type.String(),
  email: nullable(
    Type.String(
      described(
        'Of others only for whoever may change members.',
        'نشانی دیگران را تنها کسی می‌بیند که عضوها را تغییر می‌دهد.',
      ),
    ),
  ),
  role: RoleName(),
  project_ids: nullable(
    Type.Array(
      uuid(),
      described(
        'The projects that the member may use, as far as you may; null: all.',
        'پروژه‌های در دسترس عضو، تا جایی که در دسترس شما هم هستند؛ null یعنی همه.',
      ),
    ),
  ),
  provider_id: nullable(
    Type.String(
      described(
        'The sign-in provider that decides role and projects; null: none.',
        'ارائه‌دهندهٔ ورود که نقش و پروژه‌ها را تعیین می‌کند؛ null یعنی هیچ.',
      ),
    ),
  ),
  has_second_factor: nullable(
    Type.Boolean(
      described(
        'Of others only for whoever may change members; null: not shown.',
        'مرحلهٔ دوم دیگران را تنها کسی می‌بیند که عضوها را تغییر می‌دهد؛ null یعنی نشان داده نمی‌شود.',
      ),
    ),
  ),
  factor_reset_due_at: nullable(
    Type.String(
      described(
        'When the second factors are removed that an owner or the operator has called lost; null: nothing waits, or it is not shown.',
        'زمانی که مرحلهٔ دوم گم‌شده، به خواست مالک یا گرداننده، برداشته می‌شود؛ null یعنی چیزی در انتظار نیست یا نشان داده نمی‌شود.',
      ),
    ),
  ),
  spending: Type.Array(
    Type.Object({
      project_id: uuid(),
      month_cap_credits: monthCap,
      month_spent_credits: Type.Integer(safeInteger),
    }),
    described(
      'Of each project in which the member has paid or has a cap, and which you may use.',
      'برای هر پروژه‌ای که عضو در آن خرج کرده یا سقف دارد و در دسترس شما هم هست.',
    ),
  ),
  is_you: Type.Boolean(),
  joined_at: timestamp(),
})
export type Member = Static<typeof Member>
export const MemberList = plainList.schema(Member)

export const MemberQuery = pageQuery(
  {
    max: 100,
    after: idCursor(
      'Members after this one, by the id of the person; the next page begins after the last of this.',
      'عضوهای پس از این یکی، با شناسهٔ شخص؛ صفحهٔ بعد پس از آخرین مورد این صفحه آغاز می‌شود.',
    ),
  },
  {
    q: Type.Optional(
      storableText(
        1,
        100,
        described(
          'Part of a name or, for whoever sees addresses, of an address.',
          'بخشی از نام یا، برای کسی که نشانی‌ها را می‌بیند، بخشی از نشانی.',
        ),
      ),
    ),
  },
)
export type MemberQuery = Static<typeof MemberQuery>

export const MemberPatch = Type.Object(
  {
    role: Type.Optional(RoleName()),
    project_ids: Type.Optional(ProjectIds),
    month_caps: Type.Optional(
      Type.Array(Type.Object({ project_id: uuid(), month_cap_credits: monthCap }, closed), {
        minItems: 1,
        maxItems: 200,
        ...described(
          'Caps of single projects; others stay as they are.',
          'سقف پروژه‌های نام‌برده؛ بقیه همان می‌مانند.',
        ),
      }),
    ),
  },
  { ...closed, examples: [{ role: 'developer' }] },
)
export type MemberPatch = Static<typeof MemberPatch>

export const RemovedMember = Type.Object({
  person_id: uuid(),
  removed: Type.Literal(true),
  keys: Type.Integer({
    ...safeInteger,
    ...described(
      'How many keys the member made that still work: GET /v1/keys?made_by=… lists them, to keep or to revoke.',
      'شمار کلیدهایی که این عضو ساخته و هنوز کار می‌کنند: GET /v1/keys?made_by=… آن‌ها را برای ماندن یا باطل شدن نشان می‌دهد.',
    ),
  }),
})

export const InvitationBody = Type.Object(
  {
    email: Type.String({
      minLength: 3,
      maxLength: 1_000,
      ...described(
        'Whom to invite. Nobody else can accept.',
        'نشانی کسی که دعوت می‌شود. دیگری نمی‌تواند بپذیرد.',
      ),
    }),
    role: RoleName(),
    project_ids: Type.Optional(ProjectIds),
    locale: Type.Optional({
      ...Locale(),
      ...described('The language of the mail; your own if absent.', 'زبان نامه؛ در نبودش زبان خودتان.'),
    }),
  },
  { ...closed, examples: [{ email: 'sara@example.com', role: 'developer' }] },
)
export type InvitationBody = Static<typeof InvitationBody>

export const Invitation = Type.Object({
  id: uuid(),
  email: Type.String(
    described('Masked for whoever may not change members.', 'برای کسی که عضوها را تغییر نمی‌دهد پوشیده است.'),
  ),
  role: RoleName(),
  project_ids: nullable(
    Type.Array(
      uuid(),
      described(
        'The projects that the invitation gives, as far as you may use them; null: all.',
        'پروژه‌هایی که دعوت می‌دهد، تا جایی که در دسترس شما هستند؛ null یعنی همه.',
      ),
    ),
  ),
  state: oneOf('open', 'accepted', 'revoked', 'expired'),
  invited_by: nullable(
    Type.Object(
      { person_id: uuid(), display_name: Type.String() },
      described('Who invited; null: the operator.', 'دعوت‌کننده؛ null یعنی گرداننده.'),
    ),
  ),
  created_at: timestamp(),
  expires_at: timestamp(),
  accepted_at: nullable(timestamp()),
})
export type Invitation = Static<typeof Invitation>

export const SentInvitation = Type.Object({
  ...Invitation.properties,
  delivery: {
    ...oneOf('mail', 'operator'),
    ...described(
      'mail: on its way; an address gets at most five invitations an hour, and what is beyond is not sent. operator: this server sends no mail, so its operator hands the link over.',
      'mail یعنی در راه است؛ به هر نشانی در ساعت بیش از پنج دعوت فرستاده نمی‌شود و بقیه نمی‌رود. operator یعنی این سرور نامه نمی‌فرستد و گرداننده پیوند را می‌رساند.',
    ),
  },
})

export const InvitationQuery = pageQuery(
  {
    max: 100,
    after: idCursor(
      'Invitations made before this one; the next page begins after the last of this.',
      'دعوت‌های پیش از این یکی؛ صفحهٔ بعد پس از آخرین مورد این صفحه آغاز می‌شود.',
    ),
  },
  { state: Type.Optional(oneOf('open', 'accepted', 'revoked', 'expired')) },
)
export type InvitationQuery = Static<typeof InvitationQuery>
export const InvitationList = plainList.schema(Invitation)

export const ResendBody = Type.Object({ locale: Type.Optional(Locale()) }, { ...closed, examples: [{}] })
export type ResendBody = Static<typeof ResendBody>

export const AcceptBody = Type.Object(
  {
    token: Type.String({
      minLength: 1,
      maxLength: 200,
      ...described('The token of the link, after its #.', 'نشانهٔ پیوند، پس از # آن.'),
    }),
  },
  { ...closed, examples: [{ token: 'khi_…' }] },
)
export type AcceptBody = Static<typeof AcceptBody>

export const AcceptedInvitation = Type.Object({
  account_id: uuid(),
  account_name: Type.String(),
  role: RoleName(),
})

nameSchemas({
  AcceptedInvitation,
  Invitation,
  InvitationBody,
  InvitationList,
  Me,
  MePatch,
  Member,
  MemberList,
  MemberPatch,
  MyAccount,
  MyAccountList,
  PersonSession: Session,
  PersonSessionList: SessionList,
  SentInvitation,
})
