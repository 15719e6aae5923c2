// What people take most often for a password, or a part of one, the commonest first; and words of plants. After the lists of
// zxcvbn-ts (MIT licence, copyright 2012-2016 Dan Wheeler and Dropbox, Inc., 2021 zxcvbn-ts), without rude words.

export const commonPasswords: ReadonlySet<string> = new Set(
  `
password passwd pass passw0rd telltale scada plant plants operator operators operate administrator administration
admin engineer engineering technician maintenance supervisor shift shiftlead control controlroom controller plc pump
pumps valve tank alarm alarms opcua modbus mqtt snmp wincc siemens schneider rockwell honeywell wonderware ignition
factorytalk simatic waterworks wastewater station welcome changeme default letmein secret passwort kennwort
willkommen geheim januar februar maerz april juni juli august september oktober november dezember january february
march june july october december montag dienstag mittwoch donnerstag freitag samstag sonntag monday tuesday
wednesday thursday friday saturday sunday spring summer autumn winter fruehling sommer herbst server service system
user guest root test qwerty dragon baseball football monkey shadow master michael mustang qwertyuiop superman jordan
qazwsx jennifer killer hunter harley zxcvbnm asdfgh buster andrew batman soccer tigger charlie robert sunshine
thomas iloveyou ranger daniel hockey george computer jessica starwars pepper klaster zxcvbn freedom princess joshua
maggie ginger amanda ashley love cheese nicole matthew chelsea dallas biteme matrix william yankees taylor corvette
austin access martin heather thunder merlin diamond anthony hammer silver gfhjkm justin patrick richard bailey
internet samantha golfer scooter orange cookie maverick jackson sparky mickey phoenix bigdog snoopy guitar whatever
chicken morgan andrea camaro mercedes peanut ferrari cowboy falcon samsung steelers joseph smokey dakota melissa
arsenal boomer eagles tigers marina nascar gateway porsche yellow monster spider diablo hannah bulldog junior london
purple compaq lakers iceman hardcore cowboys money banana boston brandon tennis johnny miller coffee scooby edward
nikita mother yamaha brandy barney chester oliver charles player knight forever steven rangers midnight chicago
bigdaddy redsox victoria badboy angel please fender chris jasper james slayer rabbit natasha rachel marine wizard
marlboro raiders prince casper fishing flower crystal jasmine panties iwantu adidas winner gandalf enter ghbdtn
angela mike golden lauren cocacola winston madison angels panther spanky shannon sophie johnson asdfasdf david
toyota tiger murphy canada danielle jonathan liverpoo muffin cooper apples jackie dennis black john sandra pokemon
slipknot carlos qazxsw scorpion qwaszx nathan startrek rainbow asdfghjkl razz redskins newyork gemini cameron
qazwsxedc florida liverpool turtle nicholas viking booger wilson sierra doctor rocket victor dolphins captain bandit
jaguar packers pookie peaches asdf blue dolphin helpme tucker theman tiffany maxwell jeremy qwertyui debbie albert
maddog lovers monica alex united giants nirvana metallic hotdog rosebud mountain benjamin warrior stupid elephant
success bonnie alexis lucky jason scorpio samson azerty freddy driver willie calvin sydney gators dexter bubba
creative golf voodoo happy arthur trouble america nissan gunner rebecca stella garfield gordon jessie parker
asdfghjk apollo jack eminem legend airborne beavis bear apple brooklyn godzilla skippy buddy qwert kitten magic
shelby beaver phantom fred nothing asdasd williams xavier braves darkness travis copper tomcat platinum qweqwe girls
bigboy green power animal police online voyager lifehack fish sniper trinity walter blazer heaven lover snowball
bubbles loveme cricket marvin willow donkey topgun nintendo saturn family gabriel destiny pakistan pumpkin digital
sergey chance explorer redwings private therock runner lasvegas guinness beatles fire cassie christin celtic broncos
andrey babygirl nelson donald scott eclipse cartman fluffy louise michigan testing carolina little samuel alexande
birdie steve cherry pantera sharon gibson vampire mexico peter buffalo montana genius beer flyers maximus school
minecraft lovely stalker metallica doggie carter kristina kimberly spencer speedy barbara snickers sabrina carmen
marcus bronco yankee friends paradise dreams magnum horses cool caroline lacrosse goober member qwertyu enigma
scotty pimpin bollocks brian surfer sammy genesis poohbear dave star qweasdzxc baby racing friend hawaii billy viper
vanessa poopoo einstein stanley walker paul drowssap stephen courtney simple alaska badger action jake bill denise
jester spitfire drummer forest patricia maryjane champion diesel svetlana rock kevin mark gregory pamela frank
hotrod chevy anderson douglas westside security google shorty tester thumper hitman mozart general reddog music
lizard alexander melanie ruslan vincent eagle sweet teresa scarface marshall olivia veronica buddha spirit frankie
stargate antonio liberty natalie mercury naruto suzuki semperfi king popcorn spooky marley brittany claudia kelly
scotland free kitty cherokee vikings simpsons death leslie rascal qweasd jimmy loveyou hummer allison rocky patches
russia adrian jupiter penguin howard passion honda vfhbyf andre vladimir franklin sandman infinity homer raider
fantasy bulldogs horney domino budlight ironman disney norman softball bishop francis brutus ford redrum brooke
bigred jeffrey jesus fktrcfylh karina marines kawasaki digger ireland oksana fireman cougar college alicia russell
houston bradley sarah justice super wildcats tinker duncan dancer logitech avalon swordfis everton reggie motorola
alexandr molly timothy hentai claire patriots madonna colorado eugene ducati kermit juventus indian connor galore
freeuser smooth house titanic boogie simpson warcraft wolverin elizabet arizona saints valentin georgia asdfg accord
matt baxter denver christ yfnfif smith stinky zachary roland naughty spiderma chopper brenda extreme water skyline
poop zombie pearljam froggy pirate fylhtq vision awesome alyssa dreamer predator bullet empire wolf kirill people
elvis panthers skipper nemesis peekaboo simon alison rolltide american cardinal arnold chevelle daddy psycho danger
mookie manutd tommy hobbes vegeta goblue burton fyfcnfcbz picard bobby windows loverboy lovelove vfrcbv victory
bambam turkey serega tweety hiphop galina rooster polina berlin taurus electric ronald avatar mine raptor maksim
brazil eric newport hard kenneth hendrix madmax england alpha sublime britney france darkside bigman hercules
lawrence wolfpack classic lincoln ronaldo spiderman blizzard cheyenne wombat cjkysirj raymond brother kristen
pandora devils simone holiday wildcat horse kramer sterling caesar alabama carrie bondage basketball sports pickle
leather shaggy chronic flowers robbie gracie amber airplane perfect kodiak billybob katana sunset crazy good
stingray maria anna snowman phpbb chocolat zeppelin garcia detroit wolves pontiac candy firebird gundam panzer
outlaw time pretty fisher connie honey business trevor redhead greenday tarheels nastya cobra savage serenity sasha
michele dude lickme fireball white remember darkstar miranda flash harvey oscar strike freddie pavilion beauty
bobafett adam dbrnjhbz jeff bigmac duke clinton bowling jenny natali future harrison jones wallace swimming apache
rulez pyramid dodgers girl whynot defender teens morris trooper cancer precious packard lucifer popeye weasel raven
icecream stewart tanner swordfish blonde sandy presario rockstar viktor manager cheryl norton wutang airforce julian
atlanta pimp spike thailand looking casino paris mouse lennon bluebird theone hawkeye hacker lisa dustin elaine
nfnmzyf sailor catfish goldfish maxima tattoo barbie light design pervert machine herman wrangler rocks trucks
nipples roscoe tornado jerry lights bubble cadillac madman orlando pegasus target longhorn laura philip browns eatme
stefan cannon dilbert baller microsoft winnie christia katie xfiles qazqaz street seattle corona amateur cthutq
prelude beach malibu freaky integra atlantis pussies dragons iloveu unicorn lonewolf regina stealth kristin tony
peewee openup bobcat stacey software newton leonardo student srinivas angelina young enjoy valentina trigger zaqwsx
lolita athena shotgun coyote bruins veronika dollar country joker babydoll lestat hottie smiley potter random sweety
woody chipper snake samurai video gizmo maddie devildog valerie mistress flipper express powers cessna teacher
goldie moose polaris piglet cookies elena montreal hjvfirf ladies wolfgang fatboy scully father single wicked daisy
foobar castle tickle bunny pepsi transam dfvgbh impala booty hotstuff ronnie jasmin ryan gambit toshiba basketba
lancer birthday texas stephani hooker knicks roberto stinger testtest kathleen savannah shamrock benson squirt
deftones trucker nick redneck goldberg alfred blaster renegade manson subaru ibanez blondie hamilton casey reaper
cristina minnie mylove harry galaxy lindsay dudley farmer gloria special blahblah enterpri travel bigone sweetpea
sugar smoke skeeter indiana great ficken trfnthbyf freeman curtis smitty marino joanne bigfoot escort babes check
larisa trumpet tristan spartan babylon asdfghj sister valera stormy paladin andreas cavalier marathon hamlet
aardvark mister manchester rusty napoleon seven indigo hornet skater jerome pierre wonder toronto rose indians
karate buckeyes julie hesoyam fredfred charger highland sweetie holland chiefs diamonds buckeye aurora campbell
griffin brandi redman chandler drpepper monika maiden elizabeth leonard bernie brown garden storm linda thuglife
millie jungle pencil tomtom insane pizza timber sherlock mariah audrey hamster aragorn pioneer techno catdog lollol
triumph sidney fktrctq none sophia morpheus island hobbit blabla aaron pascal sampson consumer justme marion stones
chrissy tyler nadine marie goforit burger pitbull kelsey adgjmptw spartak german karen kissme hunting kaiser martha
colors artist harold italia sammie barcelona mario nicolas pebbles sundance isabella overlord emerald callie doggy
irina racecar isabelle germany goddess change wesley nipple basket joejoe holly poison zipper alpine shirley element
huskers marcel eddie danny christy sakura chichi inside ultimate dirty nicola blackie omega watson rommel geronimo
nikki caserta trojan philips sergio nugget tarzan warren trixie chicks aleksandr cream webster help sherry manuel
portugal dodger anakin bobbob bomber michel madness superfly loser florence yvonne fatcat global ybrbnf energy
desire soldier bianca warlock martina babe andrei larry seminole peace alejandr westham concrete harris margaret
hector christop ladybug network bernard weed tintin qazxswedc trombone chuck pleasure rhbcnbyf home history bluesky
sherman logan onelove cotton christian cdtnkfyf sunny archie holden brianna vfvjxrf titans stallion lindsey singer
truck smile party missy hansolo angelo joanna natalia beagle phillip panama smiles juice qawsed inferno moon
mongoose connect kingkong snatch flatron bluemoon turbo rocker personal emily blessed snakes dominic joey forget
finger beetle jamaica alberto mulder jamie susan immortal head plastic dietcoke spunky long whiskey monitor giovanni
cactus ripper spyder markus planet teen patton exigen sticky waters nolimit daniela hollywoo abigail morrison
katrina trunks andy always diana deedee clifford speed japan mission pickles million sailing freak holmes bonehead
fernando ghbdtnbr charlott delta yomama darren rubber newman faster bertha memphis sylvia open maurice hongkong olga
jumper unreal rodney nylons sebastia pentium legion shalom kennedy brooks movie dodge dream graham sprite curious
pacific loulou funtime philly ferret niners orion werewolf milton cantona kingdom stars africa office boeing gilbert
abgrtyu pirates sheila french sweets cooldude palmer eternity lollipop tottenha stocking monique anything foster
irish jackoff biscuit drizzt camera columbia fossil moomoo makaveli tracey robinson isabel martini salmon shasta
jersey verbatim maniac snapper nasty solomon patriot jacob standard shaved blackcat asdzxc punkrock raistlin
infantry dillon gerald twister ricardo waterloo cjkywt clayton crimson serena oxford maxmax denis flight condor
seinfeld silvia biggie maxine musicman ravens teddy colleen bruce wolfman sharks megadeth cosmos velvet keeper
foxtrot garrett damien anton sesame skywalke banshee cats squirrel wolverine dogs sunrise rick ghost western grendel
roxanne privet legolas frog felix marlin stone herbert lvbnhbq qazwsxed carrot blades frosty stardust helena brownie
groovy penny butler coolio twilight daytona licker peanuts intrepid pikachu trains mollie vanhalen jericho hershey
strider lobster punisher grace bird bottom ninja murray kansas shogun goblin search neptune ball showtime darwin
amadeus suzanne oldman bruno showme henry getsome muscle obiwan support rfrfirf skittles ekaterina gold whitney
shark maestro danni tanker english tarheel fighter thanks hannibal capital newlife anubis gothic chaos blues cindy
sabine roman preston princes brendan slick evelyn python richie tequila boss cody devil clover delete mirage blood
surfing bentley portland potato baggins review porter chubby panasonic sandiego sooners buffy buck tina derrick
penelope blackdog harmony fusion dima mature malcolm allen mary californ safety playtime dagger moscow swallow
warriors byteme stimpy gangster lucas christine turner iverson lester chargers liquid mushroom cracker dingdong
misty nymets robin bigguy mobile tazman greg nimrod miami crusader bugger stranger dkflbvbh anastasia marco volume
masters monroe miguel doodle collins powder archer gotcha battle dublin slapshot guardian janice charly septembe
photos knights short angelica nookie milano scarlett stuart damian grizzly camille scruffy brasil latino kittycat
poopie munchkin lorenzo rammstein bananas barcelon santiago thegame world gerard walnut kolobok blackman wisdom
trance starcraft parrot quality blade pink auburn goodluck dorothy dusty engine coltrane gorilla wheels katerina
tamara postal luther carlo cassidy discover oakland spanking osiris lonestar ping bridge bingo bender annie stonecol
dookie meridian sally megaman racerx rjntyjr sirius firefly julia alexandra madrid terry griffey women phoebe weezer
beautiful violet ledzep lowrider randy gangsta ghjcnj paradox tacobell loving catalina vertigo halflife carson
sergei shiloh johnjohn sobaka buffett aliens sadie chucky bonjour kangaroo jazz josh thompson sinner socrates
keyboard stevie jeep trebor finish dark luke sprint shazam lady national celica scarlet hoover frances hotboy
cynthia qwerasdf penguins bond formula rebels elwood melvin vacation kiss ragnarok bollox lexmark lorraine claude
rockon duck dodgeram tacoma romeo wookie prodigy tempest vfhecz flames sebastian colombia bang kitkat oblivion
mystery sithlord molson mustangs incubus smoker window scoobydo rescue carpet titleist richmond director lawyer
megan juan magnolia celeste melinda lucy wright jimbob golfing kenny roger bobbie xanadu tardis blueeyes hearts
dixie pooper shaman mersedes springer imagine janine kenwood dogg garbage martinez topper roberts lizzie ashton
elliott oracle sheena chloe nuttertools mallard shemale mikey asterix faith monkeys imperial jimbo cooler grateful
gillian peterpan kingston yourmom sleepy gremlin printer hudson stud freckles birdman aussie esther defiant
margarita deadhead polo anime tatyana jackal frogger bridget wayne research tobias mariners rootbeer blondes donnie
katrin weather aspirine frederic parola photo children account israel stephanie shaolin noodles celine willy willis
forgot hallo mandy rogers palace santos ohyeah magnus laurie creampie amazon kisses queen ludwig plymouth justdoit
nellie putter broken letsgo bryan bones tatiana camel champs lightnin massive camelot bosco deanna gizmodo spidey
caliente aezakmi goodtime roller catherin active pooh payton lonely redalert brucelee smokin porkchop astros
aquarius thankyou atomic fletcher shopping mason marian vanilla unknown sapphire temple marvel beckham kaktus myself
sooner blacky hastings blackjac aggies scream picture judith iforgot kasper cxfcnmt bangkok spectrum eduard vader
jammer painter primus veritas ernest kristi chevrole amsterdam slappy valley pete clancy spankme granny avenger
satan rosemary husker candyman beatrice scrappy simba falcons dylan harder atlantic labrador smudge syracuse
southern melody timmy elijah center darling throat stuff fatman krishna sanchez pancho gator pacman commando vulcan
bush clitoris lemons alice boner keith odessa barkley monopoly method kelley sara punkin pineappl celtics space
gangbang bennett lick flyboy hamburg asian carol spartans tricky romashka snuggles boat infiniti anders billie life
drago blake hermes jesse goose jeremiah vivian annette homerun dead forrest carolyn topcat hayden cosworth vectra
grover goodbye charlotte cuddles bossman horndog doberman gary telefon dawg qawsedrf ivanov durango peugeot franco
kyle plumber bell rbhbkk pauline exigent laguna emmanuel webmaster bowler leopard strong theking redbull alan pics
beast viktoria breeze topdog starbuck dance dalton hungry beefcake reality gjkbyf speaker godsmack clarence writer
loveit kingpin nokia valhalla night starfish anarchy herbie blacks content sailboat desert fitness brando bohica
achilles tractor drake bull hidden kicker labtec bart amelia frontier caitlin muppet terror legacy farside
terminator bella matilda kentucky doughboy ramona phillies jrcfyf camels dannyboy oakley nebraska latin double
qwertyuio sabbath chang pinkfloy homers striker looker fallen maryland luckydog azamat iguana oklahoma moloko
vfrcbvrf javier vette daniil command rhonda studio pistol miles skiing franky stoner conrad select tanya houses
boris puppy elliot charmed vladik nathalie whocares maynard vkontakte ihateyou puppies zidane eileen dilligaf crash
mandingo moneys tyrone funny nevada kotenok mystic california budman church carlton rafael technics bone stick
golfball rookie panda laptop today jennie triton river trojans bunghole zvezda hurrican central stripper dale filter
jethro snow gustav ivan escape hawk igor aberdeen shane lespaul rfnthbyf enterprise butch dthjybrf cutter splash
handsome oilers randall cash nofear cupcake excalibu momoney gbpltw bigger belinda svetik possum metal moocow
brothers bethany keystone babyboy flamingo firefox bogdan ccbill soleil lancelot vipers marilyn tdutybq juliet
leader madden russian australia sabina chase coolman babies skinny zaphod kamikaze verona bacon noodle rebel doobie
designer deadman attack vortex killme dogman gopher somethin danila reagan cancel torres freaks azsxdc donna dracula
play poncho bearbear boots engage deskjet bradford hammers deeznuts warhammer tight justine ralph fabian lewis
blueblue marissa oregon bubbas sinatra hilton meatball mailman dawson columbus manchest cthulhu macdaddy mighty
michaela grandma ready sterlin cartoon summit sentinel tolkien bicycle beverly breast lickit kathy meghan universe
capone jenna julius wendy bryant truelove helen nancy hailey chair bowser kathryn fernand eleven rockets billyboy
military demon davis jamesbon iloveyo traffic saint redhot microsof sonic miracle microlab gofish pantyhos pilot
lifetime rugby mayday aikido nina conner tree thekid theodore titties sweden function polska danie gang market
scotch lansing elvira bloody hustler anfield coke smut catman rush bonita tracy sony fast cheers tinman airbus
peters china azsxdcfv santana hayley gabrie scottie orioles charlton saun fortuna dfkthbz rustam warlord retard
fatima ultima kong bigmoney rotten betty grumpy oranges superstar asdfjkl boxing xtreme denali selena zxcasd huskies
terminal wilbur kristy wildfire vladislav bikini thor hollywood mayhem sultan gretchen figaro sixers sparta saratoga
running models mojo greenbay cancun marlene trinidad tammy chewie hope feet crunch bigbird mellon bigtime fashion
piccolo fabie rjirfrgbde rovers meatloaf hyperion sandro rightnow jarhead armani treasure miriam hansen natural
lisalisa sport bizkit maradona sayang charli rfhbyf utopia anaconda japanese camilla coconut govols emerson memory
catherine jedi cosmo cruise giant ricky dragoon woofwoof giorgi packer poontang illini christopher davids zaqxsw
pedro sticks revenge exodus reebok chanel albatros cabbage goku wally beaner quincy greens tomato toby chief
richards adriana kenworth deborah down cooter dinosaur eeyore movies dana lionking creamy adult poodle tsunami
happyday knopka bogart corrado volley chickens whisper flying first chocolate walleye hopper sean twisted chaser
memorex ericsson jensen positive crazybab science frisco dong jose zorro romance sherwood shania rereirf sausage
milana tasha vfvekz profit zenith fugazi junebug clemson tootsie fktrcfylhf comics zxcasdqwe vfczyz werner aspire
hardrock condom rachael gringo anhyeuem madeline rich becky canon alien harper stocks marcos clapton roberta coleman
applepie skywalker fubar theresa koshka tundra vitalik arjay gmoney ingrid pillow fingers samiam dean davidson
skorpion candle nobody better australi drew rockhard easy bears sparkle johanna everest rfrnec hedgehog wolfie surf
fart yosemite marisa voyeur baddog brad jazzman tool temp cheetah slacker steele mikemike wood pooppoop barsik
valeria deniska fright karolina kirsten vfksirf kume kenshin bootie cyclone starship monty balloon maxell rupert
milena bonsai lion salvador greatone vernon slider lillian admiral cecilia stolen albion boys midget nikola hithere
dinamo francois cheng calico duchess scratch powell stefano fortune nyjets artemis robotech roadkill backdoor
rastaman fiesta felicia alliance fletch jerkoff killbill goliath cinnamon rambler malaka tekken carrera bangbang
jeanette marc fritz ramses shado duster spank wibble alibaba mechanic keywest sword amsterda bristol pingpong
rasputin marianne tara rctybz sanders krista presto majestic nguyen fowler spurs carl pompey trident viagra kipper
kingfish angie garage heidi mattie isaiah steeler wrestlin pooter divine emma clipper charley macross railroad oleg
seamus swimmer jokers chico solnce erik kimber guiness pussie mathew nature matador sparks typhoon hank retired
subway slave ivanova ghetto florian vermont tang ktyjxrf lolipop spears yzerman peterson magick phillips cinder
shearer pupsik dfkthf allsop city pippen belle chad venus dammit barry caveman critter underdog skydive renault
onlyme murder snoopdog jayhawk hotshot caramel broadway kinky theboss train trout ding umbrella feather credit
splinter depeche seeker respect crysis direct animals chemical cyclops chivas jamesbond blackhaw sinclair team
beanie translator magicman phil fishes supersta giuseppe caligula kill juggalo frozen quattro usmc meredith java
rosie bullseye cohiba floppy alucard deacon heart tabitha kristine tunafish dkflbckfd vietnam kendall pearl safari
gonzo crawford klingon rain looser goalie damage maureen west dawn tazmania cigars facial deepthroat malina silence
samara dfktynbyf fang cruiser vector tommyboy jean banker horizon chainsaw bigbear forfun abraham astrid carole
andres sharky royals christina small misfit work louis fallout scania maxx nudist getmoney budweise song believe
brighton absolut kungfu kostya monaco gunners vfhufhbnf mamapapa minime blueboy penthous chrisbln steph whitey
europa jade bertie daphne groucho champ benny grant mirror village trader stroke walrus susanne number sabres nipper
woman floyd snowboar undertaker flounder moneyman patty bottle kahuna canadian viewsonic coolguy rules downtown
wagner strange fabric trisha italian ybrjkfq cypress eastside sneakers topher golfgolf barber sinbad frodo panasoni
craig alfa mybaby skidoo massimo back jillian sparrow senior dalejr thecat snapple mondeo leanne emmitt thanatos
ghjcnjnfr maximum smegma thesims whitesox chong bonkers poseidon musica doug johannes gargoyle olivier hambone
bluedog intruder sunnyday cyber compute kids smelly spawn wapbbs answer studly poppy paper simona solution newcastl
adonis goodman europe goldstar again quantum buckshot static dollars titanium erica danzig jabroni library journey
beastie chrono dang edwards jane gunnar federico korn custom lance daewoo jess briana watcher albina sunflowe dorian
babyblue premier staples nike stereo westwood usnavy boomboom fresh sasuke dharma pisces motherlode multiplelo hang
bike sapper scanner marius zeus racer callaway bayern rover lamont rivers snoop over walmart micheal starfire theend
steel aaliyah doogie renee paintbal paint tyson newbie knickers lokomotiv hotred ufkbyf laurel shawn jessic thirteen
rjycnfynby abc123 1qaz2wsx 123qwe trustno1 1234qwer q1w2e3r4t5 qwer1234 ncc1701 q1w2e3r4 1q2w3e4r jordan23 thx1138
qwerty123 abcd1234 123abc 123456a bond007 q1w2e3 rush2112 1q2w3e4r5t red123 12345a 123456q 1qazxsw2 blink182
12qwaszx qwerty1 asdf1234 lol123 ou812 asd123 eagle1 12345q lucky1 zaq12wsx a123456 123456789a 1232323q qwerty12
a12345 money1 qwe123 12345qwert michael1 test123 ncc1701d 123qweasd charlie1 123123a rasdzv3 happy1 alpha1 a1b2c3
letmein1 1q2w3e 123456789q bubba1 tiger1 zxc123 buddy1 catch22 a1b2c3d4 qaz123 qqq111 angel1 dragon1 mustang1 chris1
welcome1 james1 qazwsx123 monkey1 rocky1 freedom1 soso123aljg oicu812 jessica1 1234abcd babylon5 master1 yankees1
jesus1 david1 1a2b3c shadow1 ncc1701e q12345 matthew1 123qwe123 sammy1 123asd wrinkle1 access14 letmein2 blue22
a1234567 anthony1 magic1 apple1 molly1 william1 super123 green1 colt45 satan666 qwerty12345 black1 gn56gn56 zaq123
1234567a seven7 jason1 blue123 thunder1 123456z test1 chelsea1 1a2b3c4d asdf123 lucky7 woody1 pepsi1 robert1 viper1
ranger1 andrew1 shaney14 heather1 richard1 zaq1xsw2 soccer1 sarah1 formula1 honda1 123qaz zxcv1234 patrick1 123zxc
cowboys1 gateway1 pa55word frank1 scooter1 thomas1 1234567q harley1 raiders1 kevin1 a1s2d3f4 rusty1 hunter1 qwert123
elvis1 buster1 power1 123321q abc12 amber1 sasha1 usa123 diamond1 john316 front242 delta1 8j4ye3uz area51 aaa111
123456aa phoenix1 homer1 1234567890q killer1 brandon1 porsche9 omega1 oscar1 jordan1 ncc1701a arsenal1 pa55w0rd
jimmy1 jackson1 daniel1 agent007 gizmo1 batman1 super1 melissa1 raven1 pokemon1 apollo13 chevy1 steve1 rangers1
casey1 summer1 123456789z peter1 crazy1 123456k kitty1 daisy1 texas1 daddy1 star69 gordon24 1234qwe irish1 jenny1
4runner kelly1 fordf150 cloud9 music1 number1 billy1 chicken1 chester1 jasmine1 emily1 sandy1 turkey50 happy123
tommy1 tyler1 katie1 pepper1 abc12345 justin1 samsung1 gandalf1 lucky13 bobby1 1qa2ws3ed america1 br0d3r 50cent
amanda1 football1 packers1 hal9000 snake1 qwert1 brian1 zxcvbnm1 route66 lineage2 ne1469 a123456789 secret1 love69
moose1 nwo4life flash1 charles1 qwer123 123123q kcj9wx5n r2d2c3po george1 shannon1 ashley1 nicole1 great1 gfhjkm123
dallas1 xbox360 p0015123 bob123 jacob1 cobra1 123456r enter1 vh5150 marino13 qazwsx12 death1 love123 wolf359
qwerty1234 taylor1 chicago1 cat123 q123456 z1x2c3 ferrari1 madison1 turbo1 holly1 sadie1 test1234 1qwerty superman1
apple123 mouse1 florida1 tigger1 winston1 123qwerty joshua1 123qweasdzxc 1qaz2wsx3edc q1w2e3r4t5y6 1q2w3e4r5t6y
mailcreated5240 qazwsxedcrfv 123456qwerty qwerty123456 sojdlg123aljg leavemealone gfhjkmgfhjkm qazwsxedc123
ghjcnjgfhjkm zxcasdqwe123 sonyericsson ghhh47hj7649 123456789qwe 1qazxsw23edc qwerasdfzxcv qweasdzxc123
flvbybcnhfnjh ghbdtnrfrltkf websolutions finalfantasy 1qaz2wsx3edc4rfv chickenwing101 unbelievable justinbieber
contortionist 123qwe123qwe newproject2004 needforspeed businessbabe maurolarastefy supernatural professional
domainlock2005 scandinavian dkflbvbhjdbx hd764nw5d7e1vb1 qazwsxedcrfvtgb dkflbvbhjdyf counterstrike zaq1xsw2cde3
vfvfvskfhfve 123456789abc fkmnthyfnbdf intelligence ghjcnjghjcnj admin18533362 23176djivanfros 123456789qwerty
qazxswedcvfr qwertyasdfgh whosyourdaddy 1111111111zz fktrcfylhjdbx fktrcfylhjdyf 123456789qaz ghbdtnghbdtn
chesterfield lost4815162342 vanyarespekt qwerty123456789 89231243658s iseedeadpeople transformers devilmaycry4
combat123654 qwertyytrewq jamesbond007 123123qweqwe 4815162342lost 123456789qqq asdfghjkl123 1234qwerasdf
123qwe456rty 1234567890qw ghjcnjrdfibyj qwertyuiop123 international saun24865709 q1w2e3r4t5y6u7 ptybnxtvgbjy
1qa2ws3ed4rf 123456789zxc playstation3 mevefalkcakk 1234567890qwe hedimaptfcor cosmopolitan q1w2e3r4t5y6u7i8
zqjphsyf6ctifgu lhbjkjubz2957704 andrewjackie 1qazxsw23edcvfr4 12qw34er56ty christopher1 networkingpe philadelphia
boy4u2ownnyc ingodwetrust minecraft123 digitalprodu installdevic an83546921an13 qawsedrftgyh abc123456789
123321qweewq auckland2010 residentevil olcrackmaster 1234567890zzz 32615948worms avrillavigne massimiliano
nhfdvfnjkju123 41d8cd98f00b nemvxyheqdd5oqxyxyzi punksnotdead fynfyfyfhbde nightcrawler playstation2 gjkysqgbpltw
ticketmaster 01telemike01 stratocaster ghjcnjqgfhjkm installsqlst 1234567890qaz frederiksberg 1a2s3d4f5g6h
schoolgirlie sanfrancisco 89876065093rax 1234567qwertyu lytghjgtnhjdcr nhecsyfujkjdt zaqwsxcderfv seemnemaailm
qwaszxerdfcv antananarivu greenlantern qazwsxqazwsx vfrcbvvfrcbv 1234qwerasdfzxcv ghjcnjgbpltw 1234567890qwerty
q1w2e3r4t5y6u7i8o9p0 morganstanley 59382113kevinp qwe123qwe123 gtnhjpfdjlcr zxcvbn123456 bltynbabrfwbz warhammer40k
maprchem56458 construction bpgjldsgjldthnf iampurehaha2 qazxswedc123 qwertyuiop10 stinkyfinger cjdthitycndj
corperfmonsy weihnachtsbau stickdaddy77 asdfgh123456 necronomicon mortalkombat 123qwerty123 systemofadown
qaz123wsx456 nastyanastya zxcvbnm123456789 satisfaction cheeseburger a1s2d3f4g5h6 vladimirovna ilovemyfamily
michaeljackson vfhbyfvfhbyf qwertyuiop12345 1qa2ws3ed4rf5tg websolutionssu amadeusptfcor specialinsta 123456789asd
nhfycajhvths rfnthbyf1988 paraklast1974 webuivalidat msorcloledbr nondriversig 123456789qwer wazzkaprivet
weihnachtsbaum fktrcfylhjdf z1x2c3v4b5n6m7 ghjnbdjcnjzybt qwertyuiop12 sonnenschein anytimetoday ntktdbpjh1994
thecakeisalie ontheoutside zcfvfzkexifz qwertasdfgzxcvb ghjatccbjyfk aksjdlasdakj89879 23wkoa0fp78dk marinamarina
fatima753357 6215mila6215 zaq12wsxcde3 love777321777 123456789aaa 4815162342lf pfqwtd27121988 cnfc35762209
zxcvbnmmnbvcxz civilization findaupair007 alpha135792468 ghtdtlvtldtl edwardcullen gfhfktkjuhfv qazwsx123456
lytdybrbdfvgbhf asd123asd123 ronaldinho10 ipo54tj45uy856 89semtsriuty foreveryoung sdicmt7seytn blacksonblon
ktjynsq40147 1a2a3a4a5a6a bullnuts2003 050605rostik 19960610ilja 123456zxcvbn z1x2c3v4b5n6 entertainment
89063032220m badiman28200 123ewqasdcxz nhbujyjvtnhbz hd764nw5d7e1vbv josephphone7 gthtrfnbgjkt configuratio
msoracle32re bhrh0h2oof6xbqjeh
`
    .trim()
    .split(/\s+/),
);
