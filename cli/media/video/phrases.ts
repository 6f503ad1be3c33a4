import { english, persian, persianDigits } from '#platform/words'
import { type OptionHelp, sentence } from '../../command.ts'
import { savedOptions } from '../studio/phrases.ts'

export const videoPhrases = {
  video: sentence(
    'ویدیویی از روی متن می‌سازد، تا آماده شدنش صبر می‌کند و ذخیره‌اش می‌کند؛ روی خروجی تنها نشانی فایل است. با - متن از ورودی استاندارد خوانده می‌شود',
    'makes a video of a text, waits for it and saves it; standard output has its path and nothing else. The prompt - is read from standard input',
  ),

  // Typed wrong
  promptOrJob: () =>
    sentence(
      'یکی از این دو را بدهید، و تنها یکی: PROMPT (یا - برای ورودی استاندارد) یا --job.',
      'Give one of the two, and one only: PROMPT (or - for standard input) or --job.',
    ),
  jobAlone: (option: string) =>
    sentence(
      `${option} با --job نمی‌آید: آن ویدیو پیش‌تر سفارش داده شده است.`,
      `${option} cannot be given with --job: that video is ordered already.`,
    ),
  badJob: (typed: string) =>
    sentence(
      `--job برابر «${typed}» است: شناسه‌ای را بنویسید که هنگام سفارش گفته شد.`,
      `--job is "${typed}": write the id that was said when the video was ordered.`,
    ),
  audioTwice: () => sentence('یکی از --audio و --no-audio را بدهید.', 'Give one of --audio and --no-audio.'),
  framesAlone: () =>
    sentence(
      '--frame و --reference با هم نمی‌آیند: قاب‌ها نخستین و آخرین تصویر ویدیو هستند، مرجع‌ها تنها راهنما.',
      '--frame and --reference cannot be given together: frames are the first and last picture, references only guide.',
    ),
  tooManyFrames: () => sentence('--frame حداکثر دو بار می‌آید.', '--frame may be given twice at most.'),

  // Refused
  failed: (message: string) => sentence(message, message),
  timedOut: (seconds: number) =>
    sentence(
      `ویدیو در ${persian(seconds)} ثانیه آماده نشد؛ ساختنش ادامه دارد.`,
      `The video was not ready within ${english(seconds)} seconds; it is still being made.`,
    ),
  interrupted: () =>
    sentence(
      'دستور رها شد؛ ساختن ویدیو ادامه دارد.',
      'The command was stopped; the video is still being made.',
    ),
  waitAgain: (job: string) =>
    sentence(
      `با kherad video --job ${job} دوباره منتظرش بمانید؛ پول دیگری نمی‌گیرد.`,
      `Wait for it again with kherad video --job ${job}; it is not charged twice.`,
    ),

  // On standard error
  accepted: (job: string, credits: number) =>
    sentence(
      `سفارش پذیرفته شد: ${job} · ${persian(credits)} اعتبار کنار گذاشته شد.`,
      `Ordered: ${job} · ${english(credits)} credits are held.`,
    ),
  waiting: (seconds: number, position: number | undefined) =>
    sentence(
      `${persian(seconds)} ثانیه · در صف${position === undefined ? '' : ` (${persian(position)})`}`,
      `${seconds} s · queued${position === undefined ? '' : ` (${position})`}`,
    ),
  making: (seconds: number, progress: number | undefined) =>
    sentence(
      `${persian(seconds)} ثانیه · در حال ساخت${progress === undefined ? '' : ` · ${persian(progress)}٪`}`,
      `${seconds} s · being made${progress === undefined ? '' : ` · ${progress} %`}`,
    ),
  loading: (seconds: number, bytes: number) =>
    sentence(
      `${persian(seconds)} ثانیه · ${persian(Math.ceil(bytes / 1_000))} کیلوبایت`,
      `${seconds} s · ${english(Math.ceil(bytes / 1_000))} kB`,
    ),
  made: (seconds: number, size: string) => {
    const [width, height] = size.split('x').map(Number) as [number, number]
    return sentence(
      `${persian(seconds)} ثانیه ویدیو ${persianDigits(width)}×${persianDigits(height)}`,
      `${english(seconds)} s of video, ${width}×${height}`,
    )
  },
}

export const videoOptions: OptionHelp = {
  model: {
    value: 'ID',
    about: sentence('مدل ویدیو؛ در نبودش پیش‌فرض سرور', 'the video model; when left out that of the server'),
  },
  duration: { value: '1…30', about: sentence('درازا به ثانیه', 'how many seconds it lasts') },
  resolution: { value: '480p|720p|1080p', about: sentence('وضوح', 'the resolution') },
  aspect: { value: '16:9', about: sentence('نسبت پهنا به بلندا', 'the ratio of width to height') },
  audio: { value: '', about: sentence('با صدا', 'with sound') },
  'no-audio': { value: '', about: sentence('بی‌صدا', 'without sound') },
  frame: {
    value: 'FILE',
    about: sentence('نخستین قاب ویدیو، و بار دوم آخرین قاب', 'its first frame, and given again its last'),
  },
  reference: {
    value: 'FILE',
    about: sentence(
      'تصویری که نشان می‌دهد چیزها چه شکلی‌اند، تا هشت بار',
      'a picture of what things look like, up to eight times',
    ),
  },
  job: {
    value: 'ID',
    about: sentence(
      'به جای سفارش تازه، برای ویدیویی که سفارش داده شده صبر می‌کند',
      'instead of an order, waits for a video that is ordered already',
    ),
  },
  ...savedOptions,
  timeout: {
    value: 'SECONDS',
    about: sentence('بیشترین انتظار؛ در نبودش ۳۶۰۰', 'the longest wait; 3600 when left out'),
  },
}
