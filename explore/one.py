"""parity subset with a time limit"""
import sys,time,traceback
from gpu.parity import CASES
limit=float(sys.argv[1]); t0=time.time(); bad=[]; n=0
pre=sys.argv[2:]
names=[c for c in CASES if not pre or any(c.startswith(q) for q in pre)]
slow=[]
for c in names:
    if time.time()-t0>limit: print("stopped before",c); break
    s=time.time()
    try: CASES[c]()
    except Exception as e:
        bad.append(c)
        if len(bad)<=4: print("---",c); traceback.print_exc(limit=-5)
        if "CUDA" in type(e).__name__ or "illegal" in str(e): print("STICKY",c,e); break
    n+=1; slow.append((time.time()-s,c))
print("ran",n,"of",len(names),"bad",len(bad),bad[:40],"s",round(time.time()-t0,1))
print(sorted(slow,reverse=True)[:8])
